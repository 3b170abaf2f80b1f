"""Tries to get out of the sandbox it runs in, in every way it knows.

probe.py WORLD.json: prints "BLOCKED name" or "ESCAPED name" for each way and fails if any led out. WORLD.json names
what lies outside and must not be reached. A way that this machine does not have prints "UNAVAILABLE name" where it is
asked for with --control, which is run without a sandbox, to prove that the ways work.
"""

import ctypes
import errno
import json
import mmap
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

SECONDS = 20  # for one way
WAYS = []
W = {}
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


class Unavailable(Exception):
    """This machine does not have what the way needs."""


def unavailable():
    raise Unavailable


def way(control):
    """Marks a way out. `control`: who gets out this way without a sandbox: all, root, user (not root); none where it
    would do harm or where many machines forbid it anyway."""
    def mark(function):
        WAYS.append((function.__name__.replace("_", "-"), control, function))
        return function
    return mark


def outside(name):
    return os.path.join(W["outside"], name)


def work(name):
    return os.path.join(W["work"], name)


def home(name):
    return os.path.join(W["home"], name)


def put(path, text="escaped"):
    with open(path, "w") as file:
        file.write(text)
    return True


def tells(path):
    """Whether the file holds the secret."""
    with open(path, "rb") as file:
        return W["secret"].encode() in file.read(1 << 20)


def call(number, *arguments):
    """A system call; an OSError where it fails."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reaches(number, *arguments, refused=(errno.EPERM, errno.ENOSYS, errno.EACCES)):
    """Whether the call gets beyond the question who may make it. For calls that would do harm if they succeeded."""
    try:
        call(number, *arguments)
    except OSError as error:
        return error.errno not in refused
    return True


def text(value):
    return ctypes.c_char_p(value.encode())


# Files.

@way("all")
def write_by_path():
    return put(outside("new"))


@way("all")
def write_by_dots():
    return put(work("../outside/new-by-dots"))


@way("all")
def write_by_symlink():
    os.symlink(outside("by-link"), work("link"))
    return put(work("link"))


@way("all")
def write_by_directory_symlink():
    os.symlink(W["outside"], work("directory-link"))
    return put(work("directory-link/new"))


@way("all")
def write_by_hard_link():
    os.link(outside("linked"), work("hard-link"))
    return put(work("hard-link"))


@way("all")
def write_by_rename_in():
    os.rename(outside("taken"), work("taken"))
    return True


@way("all")
def write_by_rename_out():
    put(work("sent"))
    os.rename(work("sent"), outside("sent"))
    return True


@way("all")
def rename_the_root():
    os.rename(W["work"], W["work"] + "-moved")
    os.rename(W["work"] + "-moved", W["work"])
    return True


@way("all")
def write_by_proc_root():
    return put("/proc/self/root" + outside("by-proc-root"))


@way("all")
def write_by_descriptor():
    root = os.open("/", os.O_RDONLY)
    file = os.open(outside("by-descriptor")[1:], os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=root)
    return os.write(file, b"escaped") > 0


@way("all")
def write_named_pipe():
    pipe = os.open(outside("pipe"), os.O_WRONLY | os.O_NONBLOCK)
    return os.write(pipe, b"escaped") > 0


@way("all")
def write_standard_input():
    # A file outside that was opened only to be read.
    file = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_APPEND)
    return os.write(file, b"escaped") > 0


@way("all")
def host_processes_elsewhere():
    return tells(os.path.join(W["other_proc"], str(W["pid"]), "environ")) if W["other_proc"] else unavailable()


@way("all")
def truncate():
    os.truncate(outside("truncated"), 0)
    return True


@way("all")
def change_mode():
    os.chmod(outside("mode"), 0o777)
    return True


@way("all")
def change_times():
    os.utime(outside("mode"), (1, 1))
    return True


@way("all")
def unlink():
    os.unlink(outside("doomed"))
    return True


@way("all")
def make_directory():
    os.mkdir(outside("directory"))
    return True


@way("all")
def read_host_tmp():
    return tells(W["in_tmp"])


@way("all")
def read_host_shared_memory():
    return tells(W["in_shm"])


@way("root")
def read_host_run():
    return tells(W["in_run"])


@way("root")
def write_etc():
    file = os.open("/etc/passwd", os.O_WRONLY | os.O_APPEND)
    return file >= 0


@way("all")
def exceed_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(work("large"), "w") as file:
        os.ftruncate(file.fileno(), W["file_bytes"] + 1)
    os.unlink(work("large"))
    return True


@way("root")
def open_by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 8 + 128)
    mount = ctypes.c_int()
    call(303, -100, text(home(".ssh/id_ed25519")), handle, ctypes.byref(mount), 0)
    file = call(304, os.open("/", os.O_RDONLY), handle, os.O_RDONLY)
    return W["secret"].encode() in os.read(file, 4096)


# Git and helve itself.

@way("all")
def git_hook():
    return put(work(".git/hooks/pre-commit"))


@way("all")
def git_hooks_replaced():
    os.rename(work(".git/hooks"), work(".git/old-hooks"))
    os.mkdir(work(".git/hooks"))
    return True


@way("all")
def git_config():
    with open(work(".git/config"), "a") as file:
        file.write("[core]\n\tfsmonitor = touch /escaped\n")
    return True


@way("all")
def git_config_replaced():
    put(work(".git/config.new"))
    os.rename(work(".git/config.new"), work(".git/config"))
    return True


@way("all")
def git_config_by_git():
    return subprocess.run(["git", "-C", W["work"], "config", "core.pager", "touch /escaped"],
                          stderr=subprocess.DEVNULL).returncode == 0


@way("all")
def git_info():
    return put(work(".git/info/attributes"))


@way("all")
def git_moved_away():
    os.rename(work(".git"), work("git-moved"))
    os.rename(work("git-moved"), work(".git"))
    return True


@way("all")
def git_config_by_hard_link():
    os.link(work(".git/config"), work("config-link"))
    return put(work("config-link"))


@way("all")
def submodule_hook():
    return put(work(".git/modules/libs/sub/hooks/post-checkout"))


@way("all")
def submodule_config():
    return put(work(".git/modules/libs/sub/config"))


@way("all")
def submodule_that_is_not_initialised():
    os.makedirs(work(".git/modules/libs/later/hooks"))
    return put(work(".git/modules/libs/later/hooks/post-checkout"))


@way("all")
def submodule_link():
    return put(work("libs/sub/.git"), "gitdir: ../../evil")


@way("all")
def submodule_moved_away():
    os.rename(work(".git/modules"), work(".git/modules-moved"))
    os.rename(work(".git/modules-moved"), work(".git/modules"))
    return True


@way("all")
def submodule_with_its_own_repository():
    return put(work("libs/own/.git/config"))


@way("all")
def nested_repository():
    return put(work("group/nested/.git/hooks/post-checkout"))


@way("all")
def helve_itself():
    put(work("node_modules/helve/new"))
    os.rename(work("node_modules/helve/new"), work("node_modules/helve/helve-spawn"))
    return True


@way("all")
def helve_by_its_directory():
    os.rename(work("node_modules/helve"), work("node_modules/other"))
    os.rename(work("node_modules/other"), work("node_modules/helve"))
    return True


@way("all")
def helper_that_is_missing():
    return put(work("node_modules/helve/helve-media"))


@way("all")
def git_config_of_the_user():
    return put(work("home/.gitconfig"))


@way("all")
def repository_beside_its_checkout():
    return put(work(".apart/config"))


@way("all")
def repository_without_checkout():
    return put(work(".bare/hooks/post-receive"))


@way("all")
def worktree_link():
    return put(work(".worktrees/feature/.git"), "gitdir: ../../evil")


@way("all")
def worktree_link_replaced():
    os.rename(work(".worktrees/feature"), work(".worktrees/moved"))
    os.rename(work(".worktrees/moved"), work(".worktrees/feature"))
    return True


@way("all")
def git_config_included():
    return put(work("tools/gitconfig"))


@way("all")
def helve_config_by_link():
    if os.path.lexists(work(".helve")):
        os.rmdir(work(".helve"))
    os.symlink(W["outside"], work(".helve"))
    os.unlink(work(".helve"))
    return True


@way("all")
def helve_config_in_workspace():
    os.makedirs(work(".helve"), exist_ok=True)
    return put(work(".helve/config.yaml"))


@way("all")
def helve_config_of_user():
    return put(home(".config/helve/config.yaml"))


# Secrets.

@way("all")
def secret_key():
    return tells(home(".ssh/id_ed25519"))


@way("all")
def secret_by_symlink():
    os.symlink(home(".ssh/id_ed25519"), work("innocent"))
    return tells(work("innocent"))


@way("all")
def secret_by_hard_link():
    os.link(home(".ssh/id_ed25519"), work("innocent-copy"))
    return tells(work("innocent-copy"))


@way("all")
def secret_by_proc_root():
    return tells("/proc/self/root" + home(".aws/credentials"))


@way("all")
def secret_names():
    return "id_ed25519" in os.listdir(home(".ssh"))


@way("all")
def secret_uncovered():
    os.rename(home(".ssh"), home("ssh"))
    os.rename(home("ssh"), home(".ssh"))
    return True


@way("all")
def secret_behind_link():
    return tells(W["moved_secret"])


@way("all")
def helve_state():
    return tells(os.path.join(W["state"], "secret"))


@way("root")
def password_hashes():
    with open("/etc/shadow") as file:
        return len(file.read()) > 0


# Network.

def answered(connection):
    connection.settimeout(5)
    with connection:
        connection.sendall(b"hello\n")
        return W["secret"].encode() in connection.recv(100)


@way("all")
def network_tcp():
    return answered(socket.create_connection(("127.0.0.1", W["tcp"]), 5))


@way("all")
def network_tcp_of_the_machine():
    if not W["address"]:
        raise Unavailable
    return answered(socket.create_connection((W["address"], W["tcp"]), 5))


@way("all")
def network_tcp_6():
    if not W["tcp6"]:
        raise Unavailable
    return answered(socket.create_connection(("::1", W["tcp6"]), 5))


@way("all")
def network_udp():
    connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    connection.connect(("127.0.0.1", W["udp"]))
    return answered(connection)


def unix(address):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    return answered(connection)


@way("all")
def network_unix_outside():
    return unix(outside("socket"))


@way("all")
def network_unix_in_root():
    return unix(work("socket"))


@way("all")
def network_unix_in_tmp():
    return unix(W["unix_in_tmp"])


@way("all")
def network_unix_by_symlink():
    os.symlink(outside("socket"), work("socket-link"))
    return unix(work("socket-link"))


@way("all")
def network_abstract():
    return unix("\0" + W["abstract"])


@way("all")
def network_netlink_diagnosis():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    return True


@way("all")
def network_netlink_events():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).bind((0, 1))
    return True


@way("root")
def network_netlink_change():
    # Asks for a dummy interface, which is removed again.
    def request(kind, flags, name):
        info = struct.pack("HH5s3x", 4 + 5, 1, b"dummy")
        info = struct.pack("HH", 4 + len(info), 18) + info
        label = struct.pack("HH8s", 4 + 8, 3, name)
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + label + info
        return struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    link.send(request(16, 0x605, b"helve0\0\0"))
    reply = link.recv(4096)
    failed = -struct.unpack_from("i", reply, 16)[0]
    if failed == errno.EOPNOTSUPP:
        raise Unavailable
    if failed:
        return False
    link.send(request(17, 0x5, b"helve0\0\0"))
    return True


@way("root")
def network_raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return True


@way("root")
def network_packet():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    return True


def family(number):
    try:
        socket.socket(number, socket.SOCK_STREAM)
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            raise Unavailable from None
        return error.errno not in (errno.EPERM, errno.EACCES)
    return True


@way("all")
def network_vsock():
    return family(40)


@way("all")
def network_crypto():
    return family(38)


@way("all")
def network_interfaces():
    names = {line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line} - {"lo"}
    if not W["interfaces"]:
        raise Unavailable
    return bool(names & set(W["interfaces"]))


# Other processes.

@way("all")
def process_signal():
    os.kill(W["pid"], 0)
    return True


@way("all")
def process_ptrace():
    if not X86:
        raise Unavailable
    call(101, 0x4206, W["pid"], 0, 0)  # PTRACE_SEIZE
    return True


@way("all")
def process_ptrace_own_child():
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        call(101, 0x4206, child, 0, 0)
        return True
    finally:
        os.kill(child, signal.SIGKILL)


@way("all")
def process_memory_by_call():
    class Span(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    buffer = ctypes.create_string_buffer(len(W["secret"]))
    local = Span(ctypes.cast(buffer, ctypes.c_void_p), len(W["secret"]))
    remote = Span(W["address_of_secret"], len(W["secret"]))
    call(310, W["pid"], ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    return buffer.raw == W["secret"].encode()


@way("all")
def process_memory_by_file():
    with open(f"/proc/{W['pid']}/mem", "rb", 0) as file:
        file.seek(W["address_of_secret"])
        return file.read(len(W["secret"])) == W["secret"].encode()


@way("all")
def process_environment():
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if tells(f"/proc/{name}/environ"):
                    return True
            except OSError:
                pass
    return False


@way("all")
def process_descriptor():
    pidfd = os.pidfd_open(W["pid"])
    call(438, pidfd, W["descriptor"], 0)
    return True


@way("all")
def process_list():
    return any(tells_name(name) for name in os.listdir("/proc") if name.isdigit())


def tells_name(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return W["process_name"].encode() in file.read()
    except OSError:
        return False


@way("all")
def process_shared_memory():
    segment = LIBC.shmget(W["shm_key"], 4096, 0)
    if segment < 0:
        return False
    LIBC.shmat.restype = ctypes.c_void_p
    address = LIBC.shmat(segment, None, 0o10000)
    return W["secret"].encode() in ctypes.string_at(address, 100)


@way("all")
def process_keyring():
    key = call(250, 10, -3, text("user"), text(W["key"]), 0)  # KEYCTL_SEARCH in the session keyring
    buffer = ctypes.create_string_buffer(100)
    call(250, 11, key, buffer, 100)
    return W["secret"].encode() in buffer.raw


@way("all")
def process_own_keyring():
    call(248, text("user"), text("helve-probe"), text("x"), 1, -3)
    return True


@way("none")
def process_fork_bomb():
    children, reached = [], 0
    try:
        for _ in range(5000):
            child = os.fork()
            if child == 0:
                LIBC.prctl(1, signal.SIGKILL)  # with whoever tries this, who may run out of time
                signal.pause()
                os._exit(0)
            children.append(child)
        reached = len(children)
    except OSError:
        pass
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    return reached == 5000


# Devices and the kernel's files.

def opens(path, flags=os.O_RDONLY):
    try:
        os.close(os.open(path, flags))
    except FileNotFoundError:
        raise Unavailable from None
    return True


@way("root")
def device_kernel_messages():
    return opens("/dev/kmsg")


@way("root")
def device_memory():
    return opens("/dev/mem")


@way("none")
def device_disk():
    return opens(W["disk"]) if W["disk"] else opens("/dev/sda")


@way("none")
def device_made():
    os.mknod(work("disk"), stat.S_IFBLK | 0o600, os.makedev(*W["disk_number"]))
    file = os.open(work("disk"), os.O_RDONLY)
    os.unlink(work("disk"))
    return file >= 0


@way("root")
def device_fuse():
    return opens("/dev/fuse", os.O_RDWR)


@way("root")
def device_null_mode():
    os.chmod("/dev/null", 0o666)
    return True


@way("root")
def kernel_setting():
    return opens("/proc/sys/kernel/core_pattern", os.O_WRONLY)


@way("root")
def kernel_requests():
    return opens("/proc/sysrq-trigger", os.O_WRONLY)


@way("root")
def kernel_sysfs():
    return opens("/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY)


@way("none")
def kernel_memory_file():
    with open("/proc/kcore", "rb") as file:
        return len(file.read(16)) == 16


@way("root")
def kernel_tracing():
    if not any(os.listdir(place) for place in ("/sys/kernel/tracing", "/sys/kernel/debug")):
        raise Unavailable  # neither is mounted on every machine
    return True


@way("root")
def kernel_cgroup():
    path = os.path.join(W["cgroup"], "helve-probe") if W["cgroup"] else None
    if path is None:
        raise Unavailable
    os.mkdir(path)
    os.rmdir(path)
    return True


# System calls, by their numbers on x86-64 below 424.

@way("all")
def call_unshare_user():
    call(272, 0x10000000)
    return True


@way("all")
def call_clone_user():
    child = call(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


@way("all")
def call_clone3_user():
    arguments = ctypes.create_string_buffer(struct.pack("QQQQQ", 0x10000000, 0, 0, 0, signal.SIGCHLD), 64)
    child = call(435, arguments, 64)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


@way("root")
def call_setns():
    call(308, os.open(f"/proc/{W['pid']}/ns/mnt", os.O_RDONLY), 0)
    return True


@way("root")
def call_mount():
    os.makedirs(work("mounted"), exist_ok=True)
    call(165, text("none"), text(work("mounted")), text("tmpfs"), 0, 0)
    call(166, text(work("mounted")), 0)
    return True


@way("root")
def call_mount_new_way():
    call(430, text("tmpfs"), 0)
    return True


@way("root")
def call_remount():
    return reaches(165, 0, text("/nowhere"), 0, 0x20 | 0x1000, 0)


@way("root")
def call_unmount():
    return reaches(166, text("/nowhere"), 0)


@way("root")
def call_open_tree():
    call(428, -100, text("/"), 1)
    return True


@way("root")
def call_chroot():
    os.chroot("/")
    return True


@way("root")
def call_pivot_root():
    return reaches(155, text("/nowhere"), text("/nowhere"))


@way("root")
def call_bpf():
    return reaches(321, 0, 0, 0)


@way("root")
def call_perf():
    return reaches(298, 0, 0, -1, -1, 0)


@way("root")
def call_userfaultfd():
    call(323, 0)
    return True


@way("all")
def call_io_uring():
    return reaches(425, 0, 0)


@way("none")
def call_load_module():
    return reaches(313, -1, text(""), 0)


@way("none")
def call_kexec():
    return reaches(246, 0, 100, 0, 0)


@way("root")
def call_reboot():
    return reaches(169, 0, 0, 0, 0)


@way("root")
def call_swapon():
    return reaches(167, text("/nowhere"), 0)


@way("root")
def call_set_time():
    return reaches(164, ctypes.byref(ctypes.create_string_buffer(b"\xff" * 16, 16)), 0)


@way("root")
def call_set_host_name():
    name = os.uname().nodename
    call(170, text(name), len(name))
    return True


@way("root")
def call_kernel_log():
    return call(103, 10, 0, 0) > 0


@way("none")
def call_io_ports():
    call(173, 0x80, 1, 1)
    return True


@way("root")
def call_accounting():
    return reaches(163, text("/nowhere"))


@way("all")
def call_other_convention():
    if not X86:
        raise Unavailable
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid()


# Privileges.

@way("all")
def set_id_by_mode():
    put(work("set-id"))
    os.chmod(work("set-id"), 0o4755)
    return True


@way("all")
def set_id_by_open():
    os.umask(0)
    file = os.open(work("set-id-open"), os.O_CREAT | os.O_WRONLY, 0o4755)
    return bool(os.fstat(file).st_mode & stat.S_ISUID)


@way("all")
def set_id_by_openat2():
    os.umask(0)
    how = ctypes.create_string_buffer(struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24)
    file = call(437, -100, text(work("set-id-open2")), how, 24)
    return bool(os.fstat(file).st_mode & stat.S_ISUID)


@way("all")
def set_group_by_mode():
    put(work("set-group"))
    file = os.open(work("set-group"), os.O_RDONLY)
    os.fchmod(file, 0o2755)
    return True


@way("user")
def set_id_program():
    # A copy of `id` that belongs to root and runs as root.
    if os.geteuid() == 0:
        raise Unavailable
    return subprocess.run([W["set_id_program"], "-u"], capture_output=True, text=True).stdout.strip() == "0"


@way("root")
def capabilities():
    with open("/proc/self/status") as file:
        return any(line.startswith(("CapEff", "CapPrm", "CapBnd")) and int(line.split()[1], 16) for line in file)


@way("none")
def raise_limits():
    import resource
    resource.setrlimit(resource.RLIMIT_NPROC, (1 << 20, 1 << 20))
    return True


@way("all")
def limits_of_the_parent():
    return LIBC.prlimit(os.getppid(), 7, ctypes.byref(ctypes.create_string_buffer(struct.pack("QQ", 64, 4096))), None) == 0


@way("root")
def become_another_user():
    os.setuid(1)
    return True


@way("root")
def give_away():
    put(work("given"))
    os.chown(work("given"), 1, 1)
    return True


def fork():
    """What a way left when its time was up may still be on its way out."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            return os.fork()
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            os.sched_yield()


def attempt(function):
    """True, False, or None when this machine does not have it. In a process of its own: it may be killed."""
    sys.stdout.flush()
    child = fork()
    if child == 0:
        signal.alarm(SECONDS)
        result = 1
        try:
            result = 0 if function() else 1
        except Unavailable:
            result = 2
        except (OSError, ValueError):
            result = 1
        except BaseException as error:  # a fault of the probe must not look like a wall
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            result = 3
        os._exit(result)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return False
    return {0: True, 1: False, 2: None}.get(os.WEXITSTATUS(status), "broken")


def main():
    control = "--control" in sys.argv
    W.update(json.load(open(sys.argv[1])))
    user = "root" if os.geteuid() == 0 else "user"
    failed = 0
    for name, who, function in WAYS:
        if control and who not in ("all", user):
            continue
        result = attempt(function)
        if control and result is False:
            result = attempt(function)  # a busy machine may have been late
        if result == "broken":
            word = "BROKEN"
        elif control and result is None:
            word = "UNAVAILABLE"
        else:
            word = "ESCAPED" if result else "BLOCKED"
        failed += word in ("ESCAPED", "BROKEN")
        print(word, name, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
