#include "sandbox/protect.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "sandbox/git.h"
#include "sandbox/reserve.h"
#include "unit/sandbox/enclosed.h"

namespace helve::sandbox {
namespace {

class Protect : public InEnclosure {
 protected:
  // mv would copy what cannot be renamed.
  int rename(const std::string& name) {
    return run([&] {
      return ::rename(path("root/" + name).c_str(), path("root/gone").c_str()) == 0 ? 0 : 1;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Users, Protect, testing::ValuesIn(users()), user_name);

TEST_P(Protect, LeavesTheRestOfTheRepositoryWritable) {
  repository("root/.git");
  EXPECT_EQ(sh("echo x > .git/index && echo x > .git/HEAD.lock && mv .git/HEAD.lock .git/HEAD && "
               "mkdir -p .git/refs/heads && echo x > .git/refs/heads/main"),
            0);
}

TEST_P(Protect, KeepsHooksConfigAndInfo) {
  repository("root/.git");
  for (const char* command :
       {"echo x > .git/hooks/pre-commit", "echo x >> .git/config", "echo x > .git/info/exclude",
        "rm .git/config", "mv .git/hooks .git/old", "mv .git old", "rm -rf .git/info"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  EXPECT_EQ(read("root/.git/config"), "[core]\n\tbare = false\n");
  EXPECT_TRUE(exists("root/.git/info"));
}

TEST_P(Protect, KeepsWhatDoesNotExistFromBeingMade) {
  for (const char* command :
       {"mkdir .git/hooks", "echo x > .git/config", "rmdir .git && mkdir .git",
        "mkdir .helve/hooks", "mv .helve other"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  EXPECT_FALSE(exists("root/.git"));
  EXPECT_FALSE(exists("root/.helve"));
}

TEST_P(Protect, KeepsMissingPartsOfARepositoryFromBeingMade) {
  repository("root/.git");
  std::filesystem::remove_all(path("root/.git/hooks"));
  std::filesystem::remove(path("root/.git/config"));
  EXPECT_NE(sh("echo x > .git/hooks/pre-commit"), 0);
  EXPECT_NE(sh("echo x > .git/config"), 0);
  EXPECT_FALSE(exists("root/.git/hooks"));
  EXPECT_FALSE(exists("root/.git/config"));
}

TEST_P(Protect, StaysWhenSomebodyOutsideReplacesAFile) {
  repository("root/.git");
  const int status = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        ask();
        return run_in(enclosure, [&] { return shell(variables() + "echo x >> .git/config"); });
      },
      [&] {
        write("root/.git/config.lock", "[core]\n");
        std::filesystem::rename(path("root/.git/config.lock"), path("root/.git/config"));
      });
  EXPECT_NE(status, 0);
  EXPECT_NE(status, kBroken);
  EXPECT_EQ(read("root/.git/config"), "[core]\n");
}

TEST_P(Protect, LeavesWhatSomebodyPutIntoAReservedPlace) {
  const int status = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        run_in(enclosure, [] { return 0; });
        ask();
        return run_in(enclosure, [&] { return shell(variables() + "echo x >> .git/config"); });
      },
      [&] { repository("root/.git"); });
  EXPECT_NE(status, 0);
  EXPECT_TRUE(exists("root/.git/config"));
}

TEST_P(Protect, LeavesAReservedPlaceToAnotherHelveThatUsesIt) {
  const int status = with_enclosure(
      [&](Enclosure& first, const Ask& ask) {
        return run_in(first, [&] {
          ask();
          return shell(variables() + "mkdir .git/hooks || mkdir .helve/x");
        });
      },
      [&] {
        EXPECT_EQ(sh("true"), 0);
        EXPECT_TRUE(exists("root/.git"));
      });
  EXPECT_NE(status, 0);
  EXPECT_FALSE(exists("root/.git"));
}

TEST_P(Protect, ReservesAgainWhatAnotherHelveTookAway) {
  const int status = with_enclosure(
      [&](Enclosure& first, const Ask& ask) {
        ask();
        return run_in(first,
                      [&] { return shell(variables() + "mkdir .git/hooks || mkdir .helve/x"); });
      },
      [&] {
        EXPECT_EQ(sh("true"), 0);
        EXPECT_FALSE(exists("root/.git"));
      });
  EXPECT_NE(status, 0);
  EXPECT_NE(status, kBroken);
  EXPECT_FALSE(exists("root/.git"));
}

TEST_P(Protect, NobodySeesNamesComeAndGoWhereAllIsReserved) {
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    EXPECT_TRUE(enclosure.protect_ahead());
    const sys::Fd names(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    inotify_add_watch(names.get(), path("root").c_str(), IN_CREATE | IN_MOVED_TO);
    const int code = run_in(enclosure, [] { return 0; });
    char event[4096];
    return ::read(names.get(), event, sizeof event) < 0 && errno == EAGAIN ? code : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_P(Protect, RunsNothingOnAReservedPlaceThatAnotherHelveIsAboutToRemove) {
  make_directory("root/.helve");
  const timespec times[2]{{1751477366, 0}, {1751477366, 0}};  // the time of a reservation
  ASSERT_EQ(utimensat(AT_FDCWD, path("root/.helve").c_str(), times, 0), 0);
  {
    const sys::Fd removing(::open(path("root/.helve").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    constexpr int kExclusive = 2;
    ASSERT_EQ(syscall(SYS_flock, removing.get(), kExclusive), 0);
    EXPECT_EQ(sh("true"), kBroken);
  }
  EXPECT_EQ(sh("! mkdir .helve/x"), 0);
}

TEST_P(Protect, RunsWhileOthersReserveTheSameName) {
  const pid_t others = fork();
  if (others == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const sys::Fd root(::open(path("root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (;;) {
      (void)reserve(root, ".git", ".git");
      release_reserved(root, ".git");
    }
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sh("! mkdir .git/hooks"), 0);
  kill(others, SIGKILL);
  wait_for(others);
}

TEST_P(Protect, TakesAwayWhatAKilledHelveLeft) {
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) -> int {
    run_in(enclosure, [] { return 0; });
    _exit(7);  // without tidying
  });
  EXPECT_EQ(status, 7);
  EXPECT_TRUE(exists("root/.git"));
  EXPECT_EQ(sh("true"), 0);
  EXPECT_FALSE(exists("root/.git"));
}

TEST_P(Protect, LeavesAnEmptyDirectoryOfTheUser) {
  make_directory("root/.helve");
  EXPECT_NE(sh("mkdir .helve/x"), 0);
  EXPECT_TRUE(exists("root/.helve"));
}

TEST_P(Protect, LeavesADirectoryThatBearsTheTimeOfAReservation) {
  repository("root/.git");
  EXPECT_EQ(sh("touch -d @1751477366 .git"), 0);
  EXPECT_EQ(sh("echo x > .git/index"), 0);
}

TEST_P(Protect, RefusesALinkInAProtectedPlace) {
  repository("elsewhere");
  std::filesystem::create_directory_symlink(path("elsewhere"), path("root/.git"));
  EXPECT_EQ(sh("true"), kBroken);
}

TEST_P(Protect, KeepsTheRepositoryThatALinkInACheckoutLeadsTo) {
  repository("root/store/deep/er/one.git");
  make_directory("root/one");
  std::filesystem::create_directory_symlink("../store/deep/er/one.git", path("root/one/.git"));
  own();
  for (const char* command : {"echo x > one/.git/hooks/x", "echo x > store/deep/er/one.git/config",
                              "rm one/.git", "mkdir evil && ln -sfn ../evil one/.git"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  for (const char* name : {"one", "one/.git", "store/deep", "store/deep/er/one.git"})
    EXPECT_NE(rename(name), 0) << name;
  EXPECT_EQ(sh("echo x > one/.git/index && echo x > one/file"), 0);
}

TEST_P(Protect, KeepsWhatALinkInACheckoutLeadsToThroughAWorktree) {
  repository("root/a/b/c/main.git");
  write("root/a/b/c/main.git/worktrees/w/commondir", "../..\n");
  make_directory("root/w");
  std::filesystem::create_directory_symlink(path("root/a/b/c/main.git/worktrees/w"),
                                            path("root/w/.git"));
  own();
  EXPECT_NE(sh("echo x > a/b/c/main.git/config"), 0);
  EXPECT_NE(sh("rm w/.git"), 0);
}

TEST_P(Protect, KeepsALinkInACheckoutThatLeadsOutOfTheRootOrNowhere) {
  repository("elsewhere");
  make_directory("root/group/one");
  make_directory("root/two");
  std::filesystem::create_directory_symlink(path("elsewhere"), path("root/group/one/.git"));
  std::filesystem::create_directory_symlink("gone", path("root/two/.git"));
  own();
  for (const char* command : {"rm group/one/.git", "mv group/one/.git x",
                              "echo x > group/one/.git/config", "rm two/.git", "mv two three"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  EXPECT_EQ(sh("cat group/one/.git/config >/dev/null && echo x > group/one/file"), 0);
}

// Each of the links could be replaced.
TEST_P(Protect, RefusesALinkInACheckoutThatLeadsThroughAnother) {
  repository("root/store/deep/er/one.git");
  make_directory("root/one");
  std::filesystem::create_directory_symlink("store/deep", path("root/way"));
  std::filesystem::create_directory_symlink("../way/er/one.git", path("root/one/.git"));
  EXPECT_EQ(sh("true"), kBroken);
}

TEST_P(Protect, KeepsAFileThatALinkInACheckoutLeadsTo) {
  repository("root/store/deep/er/one.git");
  write("root/one/link", "gitdir: ../store/deep/er/one.git\n");
  std::filesystem::create_symlink("link", path("root/one/.git"));
  own();
  EXPECT_NE(sh("echo 'gitdir: evil' > one/link"), 0);
  EXPECT_NE(sh("rm one/.git"), 0);
  EXPECT_NE(sh("echo x > store/deep/er/one.git/config"), 0);
}

TEST_P(Protect, KeepsTheFileOfALinkedWorktree) {
  write("root/.git", "gitdir: /nowhere\n");
  EXPECT_NE(sh("echo 'gitdir: evil' > .git"), 0);
  EXPECT_NE(sh("rm .git"), 0);
  EXPECT_EQ(read("root/.git"), "gitdir: /nowhere\n");
}

TEST_P(Protect, KeepsTheRepositoriesOfSubmodules) {
  repository("root/.git");
  repository("root/.git/modules/libs/a");
  repository("root/.git/modules/libs/a/modules/b");
  for (const char* module : {".git/modules/libs/a", ".git/modules/libs/a/modules/b"}) {
    EXPECT_NE(sh(std::string("echo x > ") + module + "/hooks/x"), 0);
    EXPECT_NE(sh(std::string("echo x > ") + module + "/config"), 0);
    EXPECT_NE(rename(module), 0);
    EXPECT_EQ(sh(std::string("echo x > ") + module + "/index"), 0);
  }
  EXPECT_NE(rename(".git/modules"), 0);
}

TEST_P(Protect, LetsNoCommandPrepareTheRepositoryOfASubmodule) {
  repository("root/.git");
  EXPECT_NE(sh("mkdir -p .git/modules/libs/later/hooks"), 0);
  EXPECT_NE(sh("mv .git/modules .git/old"), 0);
  EXPECT_FALSE(exists("root/.git/modules"));
  repository("root/.git/modules/libs/a");
  make_directory("root/.git/worktrees/w");
  for (const char* place : {".git/modules/later", ".git/modules/libs/later",
                            ".git/modules/libs/a/modules/later", ".git/worktrees/w/modules/later"})
    EXPECT_NE(sh(std::string("mkdir -p ") + place), 0) << place;
  EXPECT_EQ(sh("echo x > .git/modules/libs/a/index && mkdir .git/modules/libs/a/refs/heads"), 0);
}

TEST_P(Protect, LeavesAModuleWritableThatSomebodyInitialisedMeanwhile) {
  repository("root/.git");
  const int status = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        EXPECT_TRUE(enclosure.protect_ahead());
        run_in(enclosure, [] { return 0; });
        ask();
        return run_in(enclosure, [&] {
          return shell(variables() +
                       "! mkdir .git/modules/b && ! echo x > .git/modules/a/config && "
                       "echo x > .git/modules/a/index");
        });
      },
      [&] { repository("root/.git/modules/a"); });
  EXPECT_EQ(status, 0);
}

TEST_P(Protect, KeepsARepositoryOfWhichACommandRemovedParts) {
  repository("root/.git/modules/a");
  EXPECT_EQ(sh("rm -r .git/modules/a/HEAD .git/modules/a/objects .git/modules/a/refs"), 0);
  EXPECT_NE(sh("echo x > .git/modules/a/hooks/x"), 0);
}

TEST_P(Protect, KeepsTheCheckoutOfASubmoduleTiedToItsRepository) {
  repository("root/.git");
  repository("root/.git/modules/a");
  write("root/.git/modules/a/config", "[core]\n\tworktree = ../../../libs/a\n");
  write("root/libs/a/.git", "gitdir: ../../.git/modules/a\n");
  EXPECT_NE(sh("echo 'gitdir: evil' > libs/a/.git"), 0);
  EXPECT_NE(rename("libs/a"), 0);
  EXPECT_EQ(sh("echo x > libs/a/file"), 0);
}

TEST_P(Protect, KeepsTheSecondConfigurationWhereGitReadsIt) {
  repository("root/.git");
  EXPECT_EQ(sh("echo x > .git/config.worktree && rm .git/config.worktree"), 0);
  write("root/.git/config", "[extensions]\n\tworktreeConfig = true\n");
  EXPECT_NE(sh("echo x > .git/config.worktree"), 0);
  EXPECT_FALSE(exists("root/.git/config.worktree"));
}

TEST_P(Protect, KeepsARootThatIsARepositoryItself) {
  repository("root");
  EXPECT_NE(sh("echo x > hooks/pre-receive"), 0);
  EXPECT_NE(sh("echo x > config"), 0);
  EXPECT_EQ(sh("echo x > HEAD"), 0);
}

TEST_P(Protect, KeepsTheRepositoriesOfAWorkspaceThatHoldsSeveral) {
  repository("root/one/.git");
  repository("root/group/two/.git");
  repository("root/group/two/.git/modules/a");
  for (const char* name : {"one/.git", "group/two/.git", "group/two/.git/modules/a"}) {
    EXPECT_NE(sh(std::string("echo x > ") + name + "/hooks/x"), 0) << name;
    EXPECT_NE(sh(std::string("echo x >> ") + name + "/config"), 0) << name;
    EXPECT_EQ(sh(std::string("echo x > ") + name + "/index"), 0) << name;
  }
  EXPECT_NE(rename("one"), 0);
  EXPECT_EQ(sh("echo x > one/file && mkdir three && echo x > three/file"), 0);
}

TEST_P(Protect, LetsCommandsRemoveWhatTheyDownloadedIntoARepository) {
  repository("root/.git");
  repository("root/build/_deps/library/.git");
  EXPECT_EQ(sh("rm -r build"), 0);
}

TEST_P(Protect, LeavesARepositoryThatIsGoneGone) {
  repository("root/one/.git");
  const int status = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        ask();
        return run_in(enclosure,
                      [&] { return shell(variables() + "mkdir one && echo x > one/file"); });
      },
      [&] { std::filesystem::remove_all(path("root/one")); });
  EXPECT_EQ(status, 0);
}

TEST_P(Protect, TakesAwayAFileThatLeadsGitElsewhere) {
  repository("root/.git");
  EXPECT_EQ(sh("echo ../evil > .git/commondir"), 0);
  EXPECT_FALSE(exists("root/.git/commondir"));
}

TEST_P(Protect, KeepsFilesAsTheyAreNamed) {
  write("root/dots/bashrc", "old");
  std::filesystem::create_symlink("dots/bashrc", path("root/.bashrc"));
  write("root/bin/helve-spawn", "old");
  policy.protected_files = {path("root/.bashrc"), path("root/.gitconfig"),
                            path("root/.config/git/config"), path("root/bin/helve-spawn"),
                            path("elsewhere/file")};
  for (const char* command :
       {"echo x > .bashrc", "rm .bashrc", "echo x > dots/bashrc", "echo x > .gitconfig",
        "mkdir .gitconfig/x", "mkdir -p .config/git && echo x > .config/git/config",
        "echo x > new && mv new bin/helve-spawn", "mv bin old", "mv dots old"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  EXPECT_EQ(sh("test -f .gitconfig && echo x > dots/other && echo x > bin/other"), 0);
  EXPECT_FALSE(exists("root/.gitconfig"));
  EXPECT_FALSE(exists("root/.config"));
}

TEST_P(Protect, KeepsAbsolutePathsInsideARoot) {
  make_directory("root/a/b");
  policy.protected_paths = {path("root/a/b"), path("root/a/c/d")};
  EXPECT_NE(sh("echo x > a/b/file"), 0);
  EXPECT_NE(sh("mkdir -p a/c/d"), 0);
  EXPECT_EQ(sh("echo x > a/file"), 0);
}

TEST_P(Protect, KeepsASubmoduleThatHasItsOwnRepository) {
  repository("root/.git");
  repository("root/a/b/c/.git");
  write("root/.gitmodules", "[submodule \"c\"]\n\tpath = a/b/c\n");
  EXPECT_NE(sh("echo x > a/b/c/.git/hooks/x"), 0);
  EXPECT_NE(sh("echo x > a/b/c/.git/config"), 0);
  EXPECT_EQ(sh("echo x > a/b/c/.git/index"), 0);
}

TEST_P(Protect, KeepsASubmoduleThatACommandTookOffTheList) {
  repository("root/.git");
  write("root/.git/config", "[submodule \"a/b/c\"]\n\tactive = true\n");
  repository("root/a/b/c/.git");
  EXPECT_NE(sh("echo x > a/b/c/.git/config"), 0);
}

TEST_P(Protect, KeepsARepositoryBesideItsCheckout) {
  write("root/.git", "gitdir: ./.bare\n");
  repository("root/.bare");
  EXPECT_NE(sh("echo x > .bare/hooks/x"), 0);
  EXPECT_NE(sh("echo x > .bare/config"), 0);
  EXPECT_NE(rename(".bare"), 0);
  EXPECT_EQ(sh("echo .. > .bare/commondir"), 0);
  EXPECT_FALSE(exists("root/.bare/commondir"));
}

TEST_P(Protect, KeepsAHiddenRepositoryOfWorktrees) {
  repository("root/.hidden");
  write("root/.hidden/worktrees/feature/commondir", "../..\n");
  write("root/.hidden/worktrees/feature/gitdir", path("root/a/b/c/feature/.git") + "\n");
  write("root/a/b/c/feature/.git", "gitdir: " + path("root/.hidden/worktrees/feature") + "\n");
  EXPECT_NE(sh("echo x > .hidden/config"), 0);
  EXPECT_NE(sh("echo 'gitdir: evil' > a/b/c/feature/.git"), 0);
  EXPECT_NE(rename("a/b"), 0);
  EXPECT_EQ(sh("echo x > a/b/c/feature/file"), 0);
}

TEST_P(Protect, FindsARepositoryThroughAWorktree) {
  repository("root/a/b/c/main.git");
  write("root/a/b/c/main.git/worktrees/w/commondir", "../..\n");
  write("root/w/.git", "gitdir: ../a/b/c/main.git/worktrees/w\n");
  EXPECT_NE(sh("echo x > a/b/c/main.git/config"), 0);
  EXPECT_NE(sh("echo x > w/.git"), 0);
}

TEST_P(Protect, KeepsARepositoryInARepository) {
  repository("root/.git");
  repository("root/group/two/.git");
  EXPECT_NE(sh("echo x > group/two/.git/config"), 0);
}

TEST_P(Protect, ClosesADirectoryThatNobodyCanLookInto) {
  if (GetParam() == 0) GTEST_SKIP() << "root looks into everything";
  repository("root/group/two/.git");
  EXPECT_EQ(sh("chmod 0 group"), 0);
  EXPECT_NE(sh("chmod 755 group"), 0);
  chmod(path("root/group").c_str(), 0755);
}

TEST_P(Protect, KeepsFilesThatTheConfigurationIncludes) {
  repository("root/.git");
  write("root/.git/config", "[include]\n\tpath = \"../tools/gitconfig\"\n");
  write("root/tools/gitconfig", "[include] path = more\n");
  write("root/tools/more", "");
  EXPECT_NE(sh("echo x > tools/gitconfig"), 0);
  EXPECT_NE(sh("echo x > tools/more"), 0);
  EXPECT_EQ(sh("echo x > tools/other"), 0);
}

TEST_P(Protect, KeepsLinksToFilesThatTheConfigurationIncludes) {
  repository("root/.git");
  write("root/.git/config", "[include]\n\tpath = ../gitconfig\n");
  write("root/tools/gitconfig", "");
  std::filesystem::create_symlink("tools/gitconfig", path("root/gitconfig"));
  EXPECT_NE(sh("rm gitconfig && echo x > gitconfig"), 0);
  EXPECT_NE(sh("echo x > tools/gitconfig"), 0);
  std::filesystem::remove(path("root/tools/gitconfig"));
  EXPECT_EQ(sh("true"), kBroken);  // what it leads to could be made
}

TEST_P(Protect, LetsNoCommandMakeAFileThatTheConfigurationIncludes) {
  repository("root/.git");
  write("root/.git/config",
        "[include]\n\tpath = ../gitconfig\n[include]\n\tpath = ../later/deep/local\n"
        "[include]\n\tpath = ../tools/here\n");
  write("root/tools/here", "[include] path = there\n");
  EXPECT_NE(sh("echo x > gitconfig"), 0);
  EXPECT_NE(sh("ln -s /etc/passwd gitconfig"), 0);
  EXPECT_NE(sh("mkdir -p later/deep && echo x > later/deep/local"), 0);
  EXPECT_NE(sh("echo x > tools/there"), 0);
  EXPECT_EQ(sh("test -f gitconfig && echo x > tools/other"), 0);
  for (const char* name : {"root/gitconfig", "root/later", "root/tools/there"})
    EXPECT_FALSE(exists(name)) << name;
}

// With HEAD, objects and refs git takes any directory for a repository when it finds no better.
TEST_P(Protect, LetsNoCommandMakeARepositoryOfTheRoot) {
  const std::string fake = "mkdir objects refs && echo 'ref: refs/heads/main' > HEAD";
  EXPECT_EQ(sh(fake), 0);
  EXPECT_FALSE(exists("root/HEAD"));
  EXPECT_TRUE(exists("root/HEAD.set-aside"));
  repository("root/.git");
  repository("root/sub/.git");
  EXPECT_EQ(sh("mv .git/HEAD .git/off && mkdir evil && echo evil > commondir && "
               "ln -s refs/heads/main HEAD && cd sub && " +
               fake),
            0);
  EXPECT_FALSE(exists("root/HEAD"));
  EXPECT_FALSE(exists("root/sub/HEAD"));
}

TEST_P(Protect, LeavesTheHeadOfARootThatIsARepositoryItself) {
  repository("root");
  EXPECT_EQ(sh("echo x > index"), 0);
  EXPECT_TRUE(exists("root/HEAD"));
}

TEST_P(Protect, KeepsTheWayFromARootToARootInIt) {
  make_directory("root/a/b/inner");
  policy.roots.push_back(path("root/a/b/inner"));
  EXPECT_NE(rename("a"), 0);
  EXPECT_NE(rename("a/b"), 0);
  EXPECT_EQ(sh("echo x > a/file && echo x > a/b/inner/file"), 0);
}

TEST_P(Protect, KeepsTheWayToWhatIsHidden) {
  write("root/conf/deep/secrets/key", "secret");
  policy.hidden = {path("root/conf/deep/secrets")};
  EXPECT_NE(rename("conf"), 0);
  EXPECT_NE(rename("conf/deep"), 0);
  EXPECT_NE(sh("cat conf/deep/secrets/key"), 0);
  EXPECT_EQ(sh("echo x > conf/file && echo x > conf/deep/file"), 0);
}

TEST_P(Protect, KeepsTheWayToWhatIsHiddenSinceItAppeared) {
  make_directory("root/conf");
  policy.hidden = {path("root/conf/secrets")};
  EXPECT_EQ(sh("mv conf other && mv other conf"), 0);
  const int status = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        run_in(enclosure, [] { return 0; });
        ask();
        return run_in(enclosure, [&] {
          return ::rename(path("root/conf").c_str(), path("root/gone").c_str()) == 0 ? 0 : 1;
        });
      },
      [&] { write("root/conf/secrets/key", "secret"); });
  EXPECT_EQ(status, 1);
}

// Without the link nobody would know the next time that what it leads to is to be hidden.
TEST_P(Protect, KeepsLinksToWhatIsHidden) {
  write("root/dotfiles/ssh/key", "secret");
  write("root/dotfiles/config/gh/token", "secret");
  std::filesystem::create_directory_symlink("dotfiles/ssh", path("root/.ssh"));
  std::filesystem::create_directory_symlink("dotfiles/config", path("root/.config"));
  own();
  policy.hidden = {path("root/.ssh"), path("root/.config/gh")};
  for (const char* command :
       {"rm .ssh", "ln -sfn elsewhere .ssh", "rm .config", "cat .ssh/key", "cat dotfiles/ssh/key",
        "cat .config/gh/token", "cat dotfiles/config/gh/token"}) {
    EXPECT_NE(sh(command), 0) << command;
  }
  for (const char* name : {".ssh", ".config", "dotfiles", "dotfiles/config"})
    EXPECT_NE(rename(name), 0) << name;
  EXPECT_EQ(sh("echo x > .config/file && cat dotfiles/config/file"), 0);
}

// A command that replaced it would decide what the next sandbox hides.
TEST_P(Protect, KeepsEachLinkOnTheWayToWhatIsHidden) {
  write("root/dots/real/netrc", "secret");
  std::filesystem::create_symlink("real/netrc", path("root/dots/netrc"));
  make_directory("home");
  std::filesystem::create_symlink("../root/dots/netrc", path("home/.netrc"));
  own();
  policy.hidden = {path("home/.netrc")};
  for (const char* command : {"rm dots/netrc", "ln -sfn other dots/netrc", "cat dots/real/netrc"})
    EXPECT_NE(sh(command), 0) << command;
  EXPECT_NE(rename("dots"), 0);
  EXPECT_EQ(sh("echo x > dots/file"), 0);
}

class SandboxGit : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(base.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(base); }
  void make(const std::string& name) { std::filesystem::create_directories(base + "/" + name); }

  std::string base = "/dev/shm/helve-unit-XXXXXX";  // in memory: disks take seconds for many files
};

TEST_F(SandboxGit, TellsThatARepositoryHasMoreThanCanBeProtected) {
  for (const char* kind : {"worktrees", "modules"}) {
    for (int i = 0; i < 4'200; ++i) make(".git/" + (kind + ("/" + std::to_string(i))));
    EXPECT_FALSE(git_names(base, {.checkouts = {""}}, default_protected_names()).is_complete);
    std::filesystem::remove_all(base + "/.git");
  }
}

TEST_F(SandboxGit, FindsARepositoryAmongManyDirectories) {
  for (int i = 0; i < 4'200; ++i) make(std::to_string(i));
  make("z/.git");
  const auto found = find_repositories(base);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkouts, (std::vector<std::string>{"", "z"}));
}

TEST_F(SandboxGit, FindsRepositoriesAtAnyDepthWhereTheRootIsNone) {
  make("src/github.com/org/one/.git");
  make("src/github.com/org/one/deep/in/it/.git");
  make("a/b/c/d/e/f/two.git/objects");
  std::ofstream(base + "/a/b/c/d/e/f/two.git/HEAD") << "ref: refs/heads/main\n";
  make("a/b/c/node_modules/x/.git");
  const auto found = find_repositories(base);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkouts, (std::vector<std::string>{"", "src/github.com/org/one"}));
  EXPECT_EQ(found->bare, std::vector<std::string>{"a/b/c/d/e/f/two.git"});
  make(".git");  // only reserved
  EXPECT_EQ(find_repositories(base)->checkouts, found->checkouts);
  make(".git/objects");
  std::ofstream(base + "/.git/HEAD") << "ref: refs/heads/main\n";
  EXPECT_EQ(find_repositories(base)->checkouts, std::vector<std::string>{""});
}

TEST_F(SandboxGit, PassesOverWhatLiesDeepAndCannotBeProtected) {
  make("a/b/c/one/.git");
  make("a/b/hooks");
  std::filesystem::create_directory_symlink("../../../hooks", base + "/a/b/c/one/.git/hooks");
  make("a/b/c/two/.git");
  EXPECT_EQ(find_repositories(base)->checkouts, (std::vector<std::string>{"", "a/b/c/two"}));
}

TEST_F(SandboxGit, LeavesALinkToModulesAsItIs) {
  make(".git/objects");
  make("elsewhere");
  std::ofstream(base + "/.git/HEAD") << "ref: refs/heads/main\n";
  std::filesystem::create_directory_symlink("../elsewhere", base + "/.git/modules");
  const GitNames names = git_names(base, *find_repositories(base), default_protected_names());
  EXPECT_EQ(names.shut, std::vector<std::string>{});
  EXPECT_EQ(names.links, std::vector<std::string>{".git/modules"});
}

TEST_F(SandboxGit, FindsTheNearestOfVeryManyRepositories) {
  for (int i = 0; i < 100; ++i) make("a/b/c/" + std::to_string(i) + "/.git");
  make("a/b/near/.git");
  const auto found = find_repositories(base);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checkouts.size(), 17u);
  EXPECT_EQ(found->checkouts[1], "a/b/near");
}

TEST_F(SandboxGit, RefusesARootWithMoreDirectoriesThanItLooksAt) {
  for (int i = 0; i < 5; ++i) make("a/" + std::to_string(i));
  EXPECT_TRUE(find_repositories(base, 6));
  EXPECT_FALSE(find_repositories(base, 5));
}

TEST_F(SandboxGit, FindsTheRepositoryOfALinkedWorktree) {
  make("main/.git/worktrees/w");
  make("w");
  std::ofstream(base + "/main/.git/worktrees/w/commondir") << "../..\n";
  std::ofstream(base + "/w/.git") << "gitdir: " << base << "/main/.git/worktrees/w\n";
  EXPECT_EQ(repository_elsewhere(base + "/w"), base + "/main/.git");
  EXPECT_EQ(repository_elsewhere(base + "/main"), std::nullopt);
}

}  // namespace
}  // namespace helve::sandbox
