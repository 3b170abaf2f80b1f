#include "workspace/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workspace/path.h"
#include "workspace/take_in.h"

namespace helve::workspace {
namespace {

std::string_view verb_of(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::remove:
      return "delete";
    case Change::Kind::move:
      return "move";
    default:
      return "write";
  }
}

}  // namespace

Step::Step(const Change& change, Target target, std::optional<Target> to)
    : change_(&change), target_(std::move(target)), to_(std::move(to)) {}

void Step::put_aside_as(std::string temporary, const sys::Fd* directory, Recorded recorded) {
  temporary_ = std::move(temporary);
  aside_ = directory;
  is_recorded_ = recorded == Recorded::yes;
}

Step::Step(Step&& other) noexcept
    : change_(other.change_),
      target_(std::move(other.target_)),
      to_(std::move(other.to_)),
      temporary_(std::move(other.temporary_)),
      aside_(other.aside_),
      kind_(other.kind_),
      old_(other.old_),
      ours_(other.ours_),
      identity_(std::move(other.identity_)),
      done_(other.done_),
      on_the_way_(other.on_the_way_),
      is_recorded_(other.is_recorded_),
      left_to_recovery_(other.left_to_recovery_),
      temporary_exists_(std::exchange(other.temporary_exists_, false)),
      failed_across_mounts_(other.failed_across_mounts_) {}

Error Step::refused(Code code, std::string_view why, std::string_view hint,
                    std::string_view type) const {
  return {code,
          fmt::format("cannot {} '{}': {}", verb_of(change_->kind),
                      escape_for_display(target_.shown), why),
          std::string(hint), std::string(type)};
}

Error Step::failed(std::errc number) const {
  return sys::to_error(number, verb_of(change_->kind), target_.shown);
}

Error Step::changed_meanwhile() const {
  return refused(Code::conflict, "it changed while it was being written",
                 "read it again, then write", "changed_meanwhile");
}

sys::OrErrno<sys::FileStatus> Step::status_aside() const {
  return sys::status_at(aside(), temporary_);
}

Result<void> Step::look(const Targets& targets, Vacated vacated) {
  switch (change_->kind) {
    case Change::Kind::restore:
      if (change_->kind_kept != sys::FileKind::file) {
        TRY(targets.check_arrival(target_, "restore"));
      }
      [[fallthrough]];
    case Change::Kind::write:
      return look_for_write(vacated);
    case Change::Kind::remove:
      kind_ = Kind::remove;
      return look_at_source(targets);
    case Change::Kind::move:
      kind_ = Kind::move;
      return look_at_source(targets);
  }
  return {};
}

Result<void> Step::check_destination() const {
  if (!to_->directory->missing.empty()) return {};
  const auto there = to_->status();
  if (!there) return {};
  const bool is_directory = there->kind == sys::FileKind::directory;
  return Error{Code::conflict,
               fmt::format("cannot move '{}' to '{}': {}", escape_for_display(target_.shown),
                           escape_for_display(to_->shown),
                           is_directory ? "that is a directory" : "that exists already"),
               is_directory ? fmt::format("to move it in there, name '{}'",
                                          escape_for_display(to_->shown + "/" + target_.name))
                            : "choose another path",
               is_directory ? "is_directory" : "path_conflict"};
}

Result<void> Step::look_for_write(Vacated vacated) {
  kind_ = Kind::create;
  if (vacated == Vacated::yes) return {};
  const bool must_exist = change_->expected.has_value();
  if (!target_.directory->missing.empty()) {
    if (must_exist) return changed_meanwhile();
    return {};
  }
  // Attributes are read faster from an open file than through an identity, which every name has.
  auto identity = sys::open_beneath(target_.at(), target_.name, sys::Open::itself);
  if (!identity && identity.error() != std::errc::no_such_file_or_directory) {
    identity = sys::open_beneath(target_.at(), target_.name, sys::Open::identity);
  }
  if (!identity) {
    if (identity.error() != std::errc::no_such_file_or_directory) return failed(identity.error());
    if (must_exist) return changed_meanwhile();
    return {};
  }
  const auto status = sys::status(*identity);
  if (!status) return failed(status.error());
  kind_ = Kind::replace;
  identity_ = std::move(*identity);
  old_ = *status;
  TRY(check_existing());
  if (must_exist && !Version::of(old_).is(*change_->expected)) return changed_meanwhile();
  if (change_->even_read_only) return {};
  if (const auto may = sys::may_write(identity_, old_); !may) return failed(may.error());
  return {};
}

// Only what lies beside or below the link can be named without looking.
std::string Step::where_it_leads(const std::string& link) const {
  const auto parts = parts_of(link);
  if (link.starts_with('/') || std::ranges::find(parts, "..") != parts.end())
    return fmt::format("it leads to '{}', seen from where it is", escape_for_display(link));
  const auto [directory, name] = split_name(target_.shown);
  const std::string path =
      directory == "." ? tidy(link) : tidy(fmt::format("{}/{}", directory, link));
  return fmt::format("it leads to '{}': name that file if it is meant", escape_for_display(path));
}

Result<void> Step::check_existing() const {
  switch (old_.kind) {
    case sys::FileKind::file:
      break;
    case sys::FileKind::directory:
      return refused(Code::invalid_argument, "it is a directory", "name a file in it",
                     "is_directory");
    case sys::FileKind::symlink: {
      const auto link = sys::read_link_at(target_.at(), target_.name);
      return refused(Code::denied, "it is a symbolic link, and links are not written through",
                     link ? where_it_leads(*link) : "name the file that it leads to", "symlink");
    }
    default:
      return refused(Code::unsupported, fmt::format("it is a {}", sys::name_of(old_.kind)),
                     "only regular files are written", "not_a_file");
  }
  if (change_->on_conflict == OnConflict::error || change_->kind == Change::Kind::restore) {
    return refused(Code::conflict, "it exists already", "choose another path", "path_conflict");
  }
  if (old_.links > 1) {
    return refused(Code::denied,
                   fmt::format("the file has {} names (hard links), perhaps outside the workspace",
                               old_.links),
                   "remove it first to write a file of its own", "hard_link");
  }
  return {};
}

Result<void> Step::look_at_source(const Targets& targets) {
  if (!target_.directory->missing.empty()) return failed(std::errc::no_such_file_or_directory);
  const auto status = target_.status();
  if (!status) return failed(status.error());
  old_ = *status;
  switch (old_.kind) {
    case sys::FileKind::file:
      if (kind_ == Kind::remove) {
        TRY(targets.check_names(old_, target_.shown, verb_of(change_->kind)));
      }
      break;
    case sys::FileKind::symlink:
      TRY(targets.check_link(target_, verb_of(change_->kind)));
      break;
    case sys::FileKind::directory:
      if (kind_ == Kind::remove && !change_->tree) {
        return refused(Code::invalid_argument, "it is a directory",
                       "pass recursive=true to delete it with all it holds", "is_directory");
      }
      TRY(targets.check_tree(target_,
                             kind_ == Kind::move   ? Targets::TreeUse::move
                             : change_->takes_back ? Targets::TreeUse::take_back
                                                   : Targets::TreeUse::remove,
                             verb_of(change_->kind)));
      break;
    default:
      return refused(Code::unsupported, fmt::format("it is a {}", sys::name_of(old_.kind)),
                     "only files, links and directories are changed", "not_a_file");
  }
  if (kind_ == Kind::move && old_.kind != sys::FileKind::file) {
    TRY(targets.check_arrival(*to_, verb_of(change_->kind)));
  }
  if (!change_->expected || Version::of(old_).is(*change_->expected)) return {};
  if (old_.kind == sys::FileKind::symlink) {  // what it leads to was looked at
    return refused(Code::denied, "it is a symbolic link, and links are not written through",
                   "the tools delete and move take the link itself", "symlink");
  }
  return changed_meanwhile();
}

void Step::describe(Record::File& file, std::uint64_t seed) const {
  switch (kind_) {
    case Kind::create:
      file.what = Changed::What::created;
      if (change_->kind == Change::Kind::restore) file.kind = change_->kind_kept;
      break;
    case Kind::replace:
      file.what = Changed::What::replaced;
      break;
    case Kind::remove:
      file.what = Changed::What::removed;
      break;
    case Kind::move:
      file.what = Changed::What::moved;
      file.to = to_->path();
      break;
  }
  if (kind_ == Kind::create || kind_ == Kind::replace) {
    file.new_digest = digest_of(change_->content, seed);
  }
  if (kind_ == Kind::create) return;
  file.kind = old_.kind;
  file.old = Version::of(old_);
  file.old_mode = old_.mode;
  if (kind_ == Kind::replace && change_->mode != old_.mode) file.new_mode = change_->mode;
  file.undoable = kind_ == Kind::move || is_kept();
}

bool Step::is_kept() const {
  return old_.kind == sys::FileKind::directory || old_.size <= kMaxKeptFile;
}

Result<void> Step::stage(Like like, Durability durability, Hold hold) {
  if (change_->kind == Change::Kind::restore) return copy_kept(durability);
  if (kind_ != Kind::create && kind_ != Kind::replace) return {};
  if (kind_ == Kind::replace) like = {&identity_, &old_};
  if (const auto filled = fill(like, durability); !filled) return failed(filled.error());
  identity_ = sys::Fd();
  if (hold == Hold::no) return {};
  auto identity = sys::open_beneath(aside(), temporary_, sys::Open::identity);
  if (!identity) return failed(identity.error());
  identity_ = std::move(*identity);
  return {};
}

Result<void> Step::copy_kept(Durability durability) {
  temporary_exists_ = true;
  auto done = copy_tree(*change_->kept_in, change_->kept, aside(), temporary_);
  if (done && durability == Durability::synced) done = sys::sync_file_system(aside());
  const auto status = status_aside();
  if (done && !status) done = std::unexpected(status.error());
  if (!done) return sys::to_error(done.error(), "restore", target_.shown);
  ours_ = *status;
  return {};
}

sys::OrErrno<void> Step::fill(Like like, Durability durability) {
  auto file = sys::create_new(aside(), temporary_);
  if (!file) return std::unexpected(file.error());
  temporary_exists_ = true;
  auto done = sys::write_all(*file, change_->content);
  if (!done) return done;
  if (like.file) {
    done = sys::copy_attributes(*like.file, *like.status, *file);
    if (done && change_->mode && kind_ == Kind::replace)
      done = sys::set_mode(*file, *change_->mode);
  } else {
    done = change_->mode ? sys::set_mode(*file, *change_->mode) : sys::set_default_mode(*file);
  }
  if (done && durability == Durability::synced) done = sys::sync_data(*file);
  if (!done) return done;
  const auto status = sys::status(*file);
  if (!status) return std::unexpected(status.error());
  ours_ = *status;
  return sys::close_file(std::move(*file));
}

}  // namespace helve::workspace
