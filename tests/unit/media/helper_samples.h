// A PDF, and programs that stand in for the helper.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace helve::media {

// As small as a PDF can be; readers repair the table that is missing.
inline std::string pdf_of(const std::vector<std::string>& pages, std::string_view kids = "",
                          std::string_view title = "") {
  std::string out = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n";
  std::string list(kids), bodies;
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::string text = "BT /F1 12 Tf 10 100 Td (" + pages[i] + ") Tj ET";
    const std::string page = std::to_string(4 + 2 * i), content = std::to_string(5 + 2 * i);
    if (kids.empty()) list += page + " 0 R ";
    bodies += page + " 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents " +
              content + " 0 R /Resources << /Font << /F1 3 0 R >> >> >>\nendobj\n" + content +
              " 0 obj\n<< /Length " + std::to_string(text.size()) + " >>\nstream\n" + text +
              "\nendstream\nendobj\n";
  }
  out += "2 0 obj\n<< /Type /Pages /Kids [" + list + "] /Count " + std::to_string(pages.size()) +
         " >>\nendobj\n3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n";
  return out + bodies + "trailer << /Root 1 0 R /Info << /Title (" + std::string(title) +
         ") >> >>\n";
}

// A program that stands in for the helper.
class Script {
 public:
  explicit Script(const std::string& body) {
    std::string pattern = std::filesystem::temp_directory_path() / "helve-helper-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    std::ofstream(path()) << "#!/bin/sh\n" << body << "\n";
    chmod(path().c_str(), 0755);
  }
  ~Script() { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/helper"; }

 private:
  std::string directory_;
};

}  // namespace helve::media
