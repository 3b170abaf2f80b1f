#include "workspace/loader.h"

namespace helve::workspace {

Loader::Loader(Journal& journal) : journal_(journal), names_(journal.names()) {}

bool Loader::is_undone(const Record& record, const Record::File& file) const {
  const auto undos = undone_.find(record.id);
  if (undos == undone_.end()) return false;
  return std::ranges::any_of(undos->second, [&](const Undo& undo) {
    const bool meant =
        undo.paths.empty() || std::ranges::find(undo.paths, file.path) != undo.paths.end();
    return meant && !undo.except.contains(file.path);
  });
}

void Loader::note(const Loaded& undo) {
  if (undo.record.undoes.empty() || undo.is_undone()) return;
  std::set<std::string> except;
  for (size_t i = 0; i < undo.undone.size(); ++i) {
    if (!undo.undone[i]) continue;
    except.insert(undo.record.files[i].path);
    if (!undo.record.files[i].to.empty()) except.insert(undo.record.files[i].to);
  }
  for (const Undoing& undoing : undo.record.undoes) {
    undone_[undoing.id].push_back({undoing.paths, except});
  }
}

std::optional<Loaded> Loader::next() {
  while (at_ < names_.size()) {
    std::optional<Record> record = journal_.load_name(names_[at_++]);
    if (!record) continue;  // tidied away meanwhile
    Loaded loaded{.record = std::move(*record)};
    for (const Record::File& file : loaded.record.files) {
      loaded.undone.push_back(is_undone(loaded.record, file));
    }
    note(loaded);
    return loaded;
  }
  return {};
}

const Loaded* LoadedChanges::at(size_t index) {
  while (all_.size() <= index) {
    std::optional<Loaded> loaded = loader_.next();
    if (!loaded) return nullptr;
    all_.push_back(std::move(*loaded));
  }
  return &all_[index];
}

void LoadedChanges::pass_over(std::string_view id) {
  for (Loaded& loaded : all_) {
    if (loaded.record.id == id) loaded.is_passed_over = true;
  }
}

}  // namespace helve::workspace
