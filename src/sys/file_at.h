// Files beneath a directory descriptor. A path is resolved by the kernel below that directory
// (openat2), so there is no moment between a check and its use, and no string comparison that a
// link could get around.
//
// Every descriptor is close-on-exec and nothing here blocks on a FIFO or a device. Names must not
// hold NUL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sys/file_descriptor.h"
#include "sys/file_error.h"

namespace helve::sys {

enum class FileKind : unsigned char { file, directory, symlink, fifo, socket, device };
std::string_view name_of(FileKind kind);

struct FileStatus {
  FileKind kind = FileKind::file;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  // permission bits with setuid, setgid and sticky
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint64_t links = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;  // since 1970
  std::int64_t changed_ns = 0;   // content or attributes; nobody can set it

  std::int64_t modified_ms() const { return modified_ns / 1'000'000; }

  bool same_file(const FileStatus& other) const {
    return device == other.device && inode == other.inode;
  }
};

enum class Open : unsigned char {
  read,       // content of a file; also succeeds on directories, so look at the status
  itself,     // the same, but not through a link that bears the name
  directory,  // to list it and to work beneath it
  identity,   // no content: holds on to whatever bears the name, links included
};
enum class Links : unsigned char { follow_beneath, refuse };

// A directory by its path in the file system: where a root begins. Links are followed.
OrErrno<Fd> open_directory(std::string_view path);
// Fails with cross_device_link when the path leaves `directory`, by "..", by a link, or while being
// resolved; with too_many_symbolic_link_levels on a loop, or on any link when links are refused.
OrErrno<Fd> open_beneath(const Fd& directory, std::string_view path, Open how,
                         Links links = Links::follow_beneath);
// Whether this kernel, and what confines this process, permit open_beneath at all.
OrErrno<void> can_open_beneath(const Fd& directory);
// A new file for writing, mode 0600; fails with file_exists when anything bears the name, even a
// dangling link.
OrErrno<Fd> create_new(const Fd& directory, std::string_view name);
// A name that nobody can foresee, for a file that is soon renamed or removed.
std::string temporary_name();

OrErrno<FileStatus> status(const Fd& file);
OrErrno<FileStatus> status_at(const Fd& directory, std::string_view name);  // of a link itself
OrErrno<FileStatus> status_of(const std::string& path);                     // links are followed
// Whether only this machine changes what the directory holds: not on network file systems, nor on
// those that another process makes up.
bool is_local(const Fd& directory);
// Whether it lies on layers itself, as the root of a container does.
bool is_overlay(const Fd& directory);
// Where a descriptor is now, as an absolute path.
OrErrno<std::string> path_of(const Fd& file);
// Which mount a descriptor is on: files move only within one.
OrErrno<std::uint64_t> mount_of(const Fd& file);
// When the file was made, since 1970, where the file system knows.
OrErrno<std::int64_t> birth_at(const Fd& directory, std::string_view name);
OrErrno<std::string> read_link_at(const Fd& directory, std::string_view name);
// Whether this process may write the file that the descriptor holds.
OrErrno<void> may_write(const Fd& file, const FileStatus& status);

// Fills the buffer unless the file ends first, or there is enough in it.
OrErrno<size_t> read_at(const Fd& file, std::span<char> buffer, std::uint64_t offset,
                        size_t enough = static_cast<size_t>(-1));
OrErrno<void> write_all(const Fd& file, std::string_view content);
OrErrno<void> write_at(const Fd& file, std::string_view content, std::uint64_t offset);
OrErrno<void> sync_data(const Fd& file);
OrErrno<void> sync_directory(const Fd& directory);
// Everything that was written to the file system that holds the file.
OrErrno<void> sync_file_system(const Fd& file);
// Some file systems report a failed write only here.
OrErrno<void> close_file(Fd file);

// Gives `to` the owner, extended attributes, access list and mode of `from`, as far as this process
// may. When the owner cannot be kept, setuid and setgid are dropped: they would lend the rights of
// somebody else.
OrErrno<void> copy_attributes(const Fd& from, const FileStatus& status, const Fd& to);
// Read and write for all but what the umask takes away: the mode that a new file usually has.
OrErrno<void> set_default_mode(const Fd& file);
OrErrno<void> set_mode(const Fd& file, std::uint32_t mode);
// Of the link itself, when it is one.
OrErrno<void> set_modified_at(const Fd& directory, std::string_view name, std::int64_t ns);
// Gives a link the owner of another, as far as this process may.
void copy_link_owner(const FileStatus& status, const Fd& directory, std::string_view name);
bool has_attribute(const Fd& file, const char* name);
// Removes those whose names begin so, as far as this process may.
void remove_attributes(const Fd& file, std::string_view beginning);
// Also access lists; true when it cannot be told.
bool has_extended_attributes(const Fd& file);

OrErrno<void> make_directory_at(const Fd& directory, std::string_view name, std::uint32_t mode);
enum class Rename : unsigned char { replace, no_replace, exchange };
// Within one directory. invalid_argument: this file system cannot do it that way.
OrErrno<void> rename_at(const Fd& directory, std::string_view from, std::string_view to,
                        Rename how);
// From one directory to another; cross_device_link when they are on different file systems.
OrErrno<void> rename_between(const Fd& from_directory, std::string_view from,
                             const Fd& to_directory, std::string_view to, Rename how);
// A second name for a file; never through a link, never over another.
OrErrno<void> link_between(const Fd& from_directory, std::string_view from, const Fd& to_directory,
                           std::string_view to);
OrErrno<void> make_link_at(const Fd& directory, std::string_view name, std::string_view target);
OrErrno<void> make_fifo_at(const Fd& directory, std::string_view name, std::uint32_t mode);
OrErrno<void> remove_file_at(const Fd& directory, std::string_view name);
OrErrno<void> remove_directory_at(const Fd& directory, std::string_view name);

}  // namespace helve::sys
