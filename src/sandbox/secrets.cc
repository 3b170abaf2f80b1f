// Where people keep keys and passwords, by the defaults of the programs that keep them.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "sandbox/policy.h"

namespace helve::sandbox {
namespace {

constexpr auto kBelowHome = std::to_array<std::string_view>({
    // Keys and identities.
    ".ssh",
    ".gnupg",
    ".pki",
    ".putty",
    ".config/age",
    ".config/sops",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".kde/share/apps/kwallet",
    ".password-store",
    ".local/share/pass",
    ".config/op",
    ".config/1Password",
    ".1password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".config/solana",
    ".bitcoin",
    ".electrum",
    ".ethereum",
    ".vault-token",
    ".erlang.cookie",
    ".config/borg",
    ".config/syncthing",
    ".local/state/syncthing",
    // Clouds and clusters.
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/linode-cli",
    ".oci",
    ".aliyun",
    ".bluemix",
    ".fly",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi/credentials.json",
    ".config/heroku",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".config/netlify",
    ".wrangler",
    ".config/.wrangler",
    ".config/rclone",
    ".s3cfg",
    ".boto",
    ".cloudflared",
    ".config/ngrok",
    ".ngrok2",
    ".config/stripe",
    ".databrickscfg",
    ".snowsql",
    // Code hosting and package registries.
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/tea",
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".gradle/gradle.properties",
    ".subversion/auth",
    ".cvspass",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".config/pypoetry/auth.toml",
    // Databases.
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".mongorc.js",
    ".dbshell",
    // Models and agents.
    ".config/openai",
    ".codex/auth.json",
    ".claude.json",
    ".claude/.credentials.json",
    ".gemini",
    ".config/anthropic",
    ".cache/huggingface/token",
    ".huggingface",
    ".config/github-copilot",
    ".kaggle",
    ".local/share/opencode/auth.json",
    ".local/share/crush",
    ".config/cursor/auth.json",
    ".config/io.datasette.llm",
    ".mcp-auth",
    ".openclaw",
    ".qwen",
    ".local/share/jupyter/runtime",
    // Browsers and mail.
    ".mozilla",
    ".librewolf",
    ".thunderbird",
    ".msmtprc",
    ".config/msmtp",
    ".fetchmailrc",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/opera",
    ".config/vivaldi",
    ".var/app",
    "snap/firefox",
    "snap/chromium",
    "snap/thunderbird",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".config/evolution",
    ".local/share/evolution",
    // What was typed once.
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".viminfo",
    ".local/state/nvim/shada",
    ".lesshst",
    ".Xauthority",
    ".ICEauthority",
    // Keys of routes, and what commands wrote.
    ".config/helve",
    ".local/state/helve",
});

constexpr auto kOfTheSystem = std::to_array<std::string_view>({
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/security/opasswd",
    "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/openvpn",
    "/etc/NetworkManager/system-connections",
    "/etc/ppp",
    "/etc/letsencrypt",
    "/etc/kubernetes",
    "/etc/rancher",
    "/etc/docker/key.json",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/cloud",
    "/var/lib/NetworkManager",
    "/var/lib/sss",
    "/var/lib/systemd/credential.secret",
    "/var/spool/cron",
    "/var/spool/mail",
    "/var/mail",
    "/var/backups",
    "/etc/credstore",
    "/etc/credstore.encrypted",
});

}  // namespace

std::vector<std::string> system_secrets() { return {kOfTheSystem.begin(), kOfTheSystem.end()}; }

std::vector<std::string> secrets_below(std::string_view home) {
  std::vector<std::string> paths;
  while (home.ends_with('/')) home.remove_suffix(1);
  if (!home.starts_with('/')) return paths;  // unset, or the root directory
  for (const std::string_view name : kBelowHome) paths.push_back(fmt::format("{}/{}", home, name));
  return paths;
}

std::vector<std::string> hidden_places(const Policy& policy) {
  std::vector<std::string> paths;
  for (const std::string& home : policy.homes)
    std::ranges::move(secrets_below(home), std::back_inserter(paths));
  std::erase_if(paths, [&](const std::string& path) {
    return std::ranges::find(policy.visible, path) != policy.visible.end();
  });
  std::ranges::copy(policy.hidden, std::back_inserter(paths));
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace helve::sandbox
