// World: a workspace with the files that the tests speak of, and how to start helve in it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const kManyFiles = 250;  // more than a page of resources, and a listing too long to be shown whole
export const kLastLine = 402;   // of the slow file, after its hole
const kMiB = 2 ** 20;

export class World {
  constructor() {
    this.directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'helve-interop-')));
    this.workspace = this.makeDirectory('workspace');
    this.home = this.makeDirectory('home');
    this.write('hello.txt', 'Hello,\nworld.\n');
    for (let i = 0; i < kManyFiles; ++i) this.write(`many/a_file_with_a_rather_long_name_${i}.txt`, 'x\n');
    this.writeWithHole('slow.txt', 512 * kMiB);
    this.writeWithHole('endless.txt', 1024 * 1024 * kMiB);
  }

  makeDirectory(name) {
    const directory = path.join(this.directory, name);
    fs.mkdirSync(directory, { recursive: true });
    return directory;
  }

  write(name, text) {
    const file = path.join(this.workspace, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }

  // 400 lines of text, one line that is nearly all hole, and line kLastLine. It takes no space on the disk, but a
  // reader who looks for the last line must go through all of it.
  writeWithHole(name, bytes) {
    const file = this.write(name, 'a line of ordinary text\n'.repeat(400));
    fs.truncateSync(file, bytes);
    fs.appendFileSync(file, '\nthe last line\n');
  }

  // Nothing of this machine's own configuration and state.
  get environment() {
    return { PATH: process.env.PATH, HOME: this.home, XDG_STATE_HOME: `${this.home}/state`, XDG_CONFIG_HOME: `${this.home}/config` };
  }

  // What a client's transport needs to start the server.
  server(args = ['--root', this.workspace]) {
    return { command: helve, args: ['mcp', '--tools', 'all', ...args], env: this.environment, cwd: this.home, stderr: 'pipe' };
  }

  run(...args) {
    return execFileSync(helve, args, { env: this.environment, cwd: this.workspace, encoding: 'utf8' });
  }

  // What people allowed for ever.
  forgetRules() {
    fs.rmSync(`${this.home}/config/helve/config.yaml`, { force: true });
  }

  remove() {
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

export const helve = process.env.HELVE_UNDER_TEST;

export function isRunning(pid) {
  try {
    return !fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

// Processor time that a process has used so far, in ticks.
export function ticks(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

// Looks every 100 ms until `holds` does; false after `seconds`.
export async function eventually(holds, seconds = 20) {
  for (let i = 0; i < seconds * 10; ++i) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
