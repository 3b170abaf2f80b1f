#include "media/file_type.h"

#include <array>

namespace helve::media {
namespace {

using namespace std::string_view_literals;

struct Magic {
  size_t offset;
  std::string_view bytes;
  FileType type;
};

constexpr std::string_view kListTar = "a command such as tar tf lists what it holds";
constexpr std::string_view kListZip = "a command such as unzip -l lists what it holds";

// The longer of two that begin alike stands first.
constexpr Magic kMagic[] = {
    {0, "\x89PNG\r\n\x1a\n", {"PNG image", "image/png", ""}},
    {0, "\xFF\xD8\xFF", {"JPEG image", "image/jpeg", ""}},
    {0, "GIF87a", {"GIF image", "image/gif", ""}},
    {0, "GIF89a", {"GIF image", "image/gif", ""}},
    {8, "WEBP", {"WebP image", "image/webp", ""}},
    {0, "BM", {"BMP image", "image/bmp", "convert it to PNG to look at it"}},
    {0, "II*\0"sv, {"TIFF image", "image/tiff", "convert it to PNG to look at it"}},
    {0, "MM\0*"sv, {"TIFF image", "image/tiff", "convert it to PNG to look at it"}},
    {0,
     "\0\0\1\0"sv,
     {"Windows icon", "image/vnd.microsoft.icon", "convert it to PNG to look at it"}},
    {4, "ftypavif", {"AVIF image", "image/avif", "convert it to PNG to look at it"}},
    {4, "ftyphei", {"HEIF image", "image/heif", "convert it to PNG to look at it"}},
    {0, kPdfMark, {"PDF document", "application/pdf", ""}},
    {0,
     "\x7F"
     "ELF",
     {"ELF executable or library", "application/x-elf",
      "commands such as readelf, nm and objdump look into it"}},
    {0, "MZ", {"Windows executable", "application/vnd.microsoft.portable-executable", kLookInto}},
    {0, "\xCF\xFA\xED\xFE", {"Mach-O executable", "application/x-mach-binary", kLookInto}},
    {0, "\xCE\xFA\xED\xFE", {"Mach-O executable", "application/x-mach-binary", kLookInto}},
    {0, "\0asm"sv, {"WebAssembly module", "application/wasm", "wasm-objdump looks into it"}},
    {0,
     "!<arch>\n",
     {"static library or Debian package", "application/x-archive", "ar t lists what it holds"}},
    {0, "\x1F\x8B", {"gzip compressed data", "application/gzip", "zcat shows what it holds"}},
    {0, "BZh", {"bzip2 compressed data", "application/x-bzip2", "bzcat shows what it holds"}},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     {"xz compressed data", "application/x-xz", "xzcat shows what it holds"}},
    {0,
     "\x28\xB5\x2F\xFD",
     {"zstd compressed data", "application/zstd", "zstdcat shows what it holds"}},
    {0,
     "\x04\x22\x4D\x18",
     {"LZ4 compressed data", "application/x-lz4", "lz4cat shows what it holds"}},
    {0,
     "7z\xBC\xAF\x27\x1C",
     {"7-Zip archive", "application/x-7z-compressed", "7z l lists what it holds"}},
    {0, "Rar!\x1A\x07", {"RAR archive", "application/vnd.rar", "unrar l lists what it holds"}},
    {257, "ustar", {"tar archive", "application/x-tar", kListTar}},
    {0,
     "SQLite format 3\0"sv,
     {"SQLite database", "application/vnd.sqlite3", "sqlite3 FILE .schema shows its tables"}},
    {0, "PAR1", {"Parquet file", "application/vnd.apache.parquet", ""}},
    {0, "ARROW1", {"Arrow file", "application/vnd.apache.arrow.file", ""}},
    {0, "\x93NUMPY", {"NumPy array", "application/x-npy", "numpy.load reads it"}},
    {0, "\x89HDF\r\n\x1a\n", {"HDF5 file", "application/x-hdf5", "h5dump -H shows what it holds"}},
    {0, "GGUF", {"GGUF model", "application/x-gguf", ""}},
    {0, "wOFF", {"WOFF font", "font/woff", ""}},
    {0, "wOF2", {"WOFF2 font", "font/woff2", ""}},
    {0, "\0\1\0\0"sv, {"TrueType font", "font/ttf", ""}},
    {0, "OTTO", {"OpenType font", "font/otf", ""}},
    {0, "ttcf", {"font collection", "font/collection", ""}},
    {0, "ID3", {"MP3 audio", "audio/mpeg", ""}},
    {0, "\xFF\xFB", {"MP3 audio", "audio/mpeg", ""}},
    {0, "fLaC", {"FLAC audio", "audio/flac", ""}},
    {0, "OggS", {"Ogg media", "application/ogg", ""}},
    {8, "WAVE", {"WAV audio", "audio/wav", ""}},
    {8, "AVI ", {"AVI video", "video/vnd.avi", ""}},
    {4, "ftypM4A", {"MPEG-4 audio", "audio/mp4", ""}},
    {4, "ftypqt", {"QuickTime video", "video/quicktime", ""}},
    {4, "ftyp", {"MPEG-4 video", "video/mp4", ""}},
    {0, "\x1A\x45\xDF\xA3", {"Matroska or WebM video", "video/matroska", ""}},
    {0,
     "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
     {"old Microsoft Office document", "application/x-ole-storage",
      "convert it, for example with libreoffice --headless"}},
    {0, "\xED\xAB\xEE\xDB", {"RPM package", "application/x-rpm", "rpm -qlp lists what it holds"}},
    {0,
     "\x80\x04\x95",
     {"Python pickle", "application/x-pickle",
      "python3 -m pickletools shows it; loading it runs code"}},
    {0,
     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
     {"nothing but zero bytes at its start", "application/octet-stream", kLookInto}},
};

// What a zip archive is by the names of its first members.
struct Member {
  std::string_view name;
  FileType type;
};
constexpr Member kMembers[] = {
    {"word/",
     {"Word document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "unzip -p FILE word/document.xml shows its text as XML; pandoc converts it"}},
    {"xl/",
     {"Excel workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "unzip -l lists its sheets; a script can convert them to CSV"}},
    {"ppt/",
     {"PowerPoint presentation",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "unzip -l lists its slides"}},
    {"mimetypeapplication/epub+zip", {"EPUB book", "application/epub+zip", kListZip}},
    {"mimetypeapplication/vnd.oasis.opendocument",
     {"OpenDocument file", "application/vnd.oasis.opendocument",
      "unzip -p FILE content.xml shows its text as XML"}},
    {"AndroidManifest.xml",
     {"Android package", "application/vnd.android.package-archive", kListZip}},
    {"META-INF/", {"Java archive", "application/java-archive", kListZip}},
};

std::optional<FileType> archive_type(std::string_view start) {
  if (!start.starts_with("PK\3\4") && !start.starts_with("PK\5\6")) return {};
  for (const auto& [name, type] : kMembers) {
    if (start.find(name) != start.npos) return type;
  }
  return FileType{"ZIP archive", "application/zip", kListZip};
}

// The same four bytes begin Java classes and Mach-O files for several processors, which have few.
std::optional<FileType> cafe_babe(std::string_view start) {
  if (!start.starts_with("\xCA\xFE\xBA\xBE") || start.size() < 8) return {};
  const bool many =
      start[4] == 0 && start[5] == 0 && start[6] == 0 && static_cast<unsigned char>(start[7]) < 40;
  if (many) return FileType{"Mach-O executable", "application/x-mach-binary", kLookInto};
  return FileType{"Java class", "application/java-vm", "javap -c shows its code"};
}

}  // namespace

std::optional<FileType> file_type(std::string_view start) {
  if (const auto archive = archive_type(start)) return archive;
  if (const auto babe = cafe_babe(start)) return babe;
  for (const auto& [offset, bytes, type] : kMagic) {
    if (start.size() >= offset && start.substr(offset).starts_with(bytes)) return type;
  }
  return {};
}

}  // namespace helve::media
