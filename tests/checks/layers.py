"""Every #include between modules is one that src/LAYERS allows, and src/LAYERS allows nothing that is not used."""

import re

from source import ROOT, matches, read, report, sources

INCLUDE = r'(?m)^[ \t]*#[ \t]*include[ \t]+"([^"]+)"'


def read_layers(root):
    """The modules with what they may include, and what is wrong with the file itself."""
    layers, problems = {}, []
    for number, line in enumerate(read(root, "src/LAYERS").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"([a-z_]+):((?: [a-z_]+)*)", line.rstrip())
        if not match:
            problems.append(f"src/LAYERS:{number}: write 'module: module module'")
            continue
        module, uses = match[1], match[2].split()
        if module in layers:
            problems.append(f"src/LAYERS:{number}: '{module}' has a line already")
        for use in uses:
            if use not in layers:
                problems.append(f"src/LAYERS:{number}: '{module}' names '{use}', which is not above it")
        layers[module] = uses
    return layers, problems


def check(root):
    layers, problems = read_layers(root)
    directories = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    problems += [f"src/{name}: has no line in src/LAYERS" for name in sorted(directories - set(layers))]
    used = {module: set() for module in layers}
    for path in sources(root):
        module = path.parts[1]
        for line, match in matches(read(root, path), INCLUDE):
            included, other = match[1], match[1].split("/")[0]
            if not (root / "src" / included).is_file():
                problems.append(f'{path}:{line}: no file src/{included}; includes are written from src/, "tool/tool.h"')
            elif other != module and other not in layers.get(module, []):
                problems.append(f"{path}:{line}: '{module}' may not include '{other}' (src/LAYERS); "
                                f"take an interface that app/ connects, or move the code")
            else:
                used.setdefault(module, set()).add(other)
        # The table that the build writes is declared in tool/ and linked from tools/.
        if re.search(r"\bbuiltin_tools\(\)", read(root, path)):
            used.setdefault(module, set()).add("tools")
    for module, uses in layers.items():
        for use in uses:
            if use not in used[module]:
                problems.append(f"src/LAYERS: '{module}' no longer includes '{use}': well done, now take it off the line")
    return problems


if __name__ == "__main__":
    report(check(ROOT))
