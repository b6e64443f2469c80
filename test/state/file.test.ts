import { execFile, spawnSync } from 'node:child_process';
import { lutimes, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { StateError } from '../../functions/errors.ts';
import { FileStateStore } from '../../functions/state/file.ts';
import { classifyFileError } from '../../functions/state/file-error.ts';
import { lockFile } from '../../functions/state/file-lock.ts';
import { folder, never, NOW, path, peek, put, take, useScratchFile } from './scratch-file.ts';

const runFile = promisify(execFile);

useScratchFile();

describe('the file', () => {
  test('is for people to read: timestamps are text, absent fields absent', async () => {
    const nodes = new Map([['uid-1', { name: 'n1', firstSeenAt: NOW, lastBusyAt: undefined }]]);
    await put({ history: { observedAt: NOW, nodes }, podsSeen: 3 });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      schemaVersion: 1,
      clusters: {
        default: {
          lease: {
            fence: 1,
            owner: 'pass',
            takenAt: '2026-03-02T09:00:00.000Z',
            expiresAt: '2026-03-02T09:00:58.000Z',
            isReleased: true,
          },
          observedAt: '2026-03-02T09:00:00.000Z',
          nodes: { 'uid-1': { name: 'n1', firstSeenAt: '2026-03-02T09:00:00.000Z' } },
          reported: [],
          podsSeen: 3,
        },
      },
    });
  });

  test('is readable by its owner alone at first, and keeps the rights it was given since', async () => {
    await put({});
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await runFile('chmod', ['640', path]);
    await put({ podsSeen: 1 });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test('may be a link: what it points to is replaced, the link stays', async () => {
    await mkdir(join(folder, 'disk'));
    const target = join(folder, 'disk', 'real.json');
    await put({ podsSeen: 1 }, target);
    await symlink(target, path);
    await put({ podsSeen: 2 });
    expect((await peek(target)).podsSeen).toBe(2);
    expect(await readdir(folder)).toEqual(['disk', 'state.json']);
    expect(await readdir(join(folder, 'disk'))).toEqual(['real.json']);
  });

  test('is not written when the lease is held by another pass', async () => {
    await take(new FileStateStore(path));
    const before = await stat(path);
    await new FileStateStore(path).acquire('default', { owner: 'b', now: NOW + 1, leaseSeconds: 58 }, never);
    expect((await stat(path)).ino).toBe(before.ino);
  });
});

describe('a file that cannot be understood', () => {
  const whole = (cluster: unknown): string =>
    JSON.stringify({ schemaVersion: 1, clusters: { default: cluster } });
  const lease = {
    fence: 1,
    owner: 'p',
    takenAt: '2026-03-02T09:00:00.000Z',
    expiresAt: '2026-03-02T09:00:58.000Z',
    isReleased: true,
  };

  test.each([
    ['an empty one', '', 'malformed'],
    ['half of one', '{"schemaVersion":1,"clus', 'malformed'],
    ['something else', 'hello', 'malformed'],
    ['JSON of another kind', '[]', 'malformed'],
    ['null', 'null', 'malformed'],
    ['one without a version', '{"clusters":{}}', 'malformed'],
    ['one of version 0', '{"schemaVersion":0,"clusters":{}}', 'malformed'],
    ['one whose version is text', '{"schemaVersion":"1","clusters":{}}', 'malformed'],
    ['one without clusters', '{"schemaVersion":1}', 'malformed'],
    ['a cluster without a lease', whole({ nodes: {}, reported: [] }), 'malformed'],
    ['a cluster without nodes', whole({ lease, reported: [] }), 'malformed'],
    ['an instant as a number', whole({ lease, reported: [], nodes: {}, observedAt: 5 }), 'malformed'],
    ['an impossible day', whole({ lease, reported: [], nodes: {}, observedAt: '2026-02-30' }), 'malformed'],
    [
      'a node without a first sight',
      whole({ lease, reported: [], nodes: { u: { name: 'n' } } }),
      'malformed',
    ],
    ['one of a newer program', '{"schemaVersion":2,"anything":true}', 'newerSchema'],
  ])('%s is refused and left as it is', async (_, text, kind) => {
    await writeFile(path, text);
    const error = await peek().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({ kind });
    expect(`${(error as StateError).message} ${(error as StateError).remedy}`).toMatch(
      /state\.json.*--state/s,
    );
    await expect(put({ podsSeen: 1 })).rejects.toMatchObject({ kind });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readdir(folder)).toEqual(['state.json']);
  });
});

test.each([
  ['the field', { lease: 'mine' }, /cluster default: lease: /],
  ['the node', { nodes: { u: { name: 'n', firstSeenAt: 5 } } }, /cluster default: nodes\.u\.firstSeenAt: /],
])('what cannot be read is named: %s', async (_, fields, message) => {
  await put({});
  const file = JSON.parse(await readFile(path, 'utf8')) as { clusters: { default: object } };
  Object.assign(file.clusters.default, fields);
  await writeFile(path, JSON.stringify(file));
  await expect(peek()).rejects.toThrow(message);
});

describe('a place that cannot be used', () => {
  test.each([
    ['a folder', '.', 'misconfigured'],
    ['a file in a folder that is missing', 'missing/state.json', 'misconfigured'],
    ['a file below a file', 'plain/state.json', 'misconfigured'],
  ])('%s is refused, and nothing is created', async (_, name, kind) => {
    await writeFile(join(folder, 'plain'), '');
    const place = join(folder, name);
    await expect(peek(place)).rejects.toMatchObject({ name: 'StateError', kind });
    await expect(put({}, place)).rejects.toMatchObject({
      kind,
      remedy: expect.stringContaining('--state') as string,
    });
    expect(await readdir(folder)).toEqual(['plain']);
  });

  test.each([
    ['EACCES', 'forbidden'],
    ['EPERM', 'forbidden'],
    ['EROFS', 'forbidden'],
    ['EISDIR', 'misconfigured'],
    ['ENOENT', 'misconfigured'],
    ['ENOTDIR', 'misconfigured'],
    ['ENOSPC', 'unavailable'],
    ['EDQUOT', 'unavailable'],
    ['EFBIG', 'unavailable'],
    ['EIO', 'unavailable'],
  ])('%s is told as %s with a remedy that names the setting', (code, kind) => {
    const cause = Object.assign(new Error(code), { code });
    const error = classifyFileError(cause, 'writing', '/var/state.json');
    expect(error).toMatchObject({ kind, cause, remedy: expect.stringContaining('--state') as string });
    expect(error.message).toContain('writing state file /var/state.json: ');
  });
});

describe('the lock', () => {
  const holder = (host: string, pid: number): string => JSON.stringify({ host, pid, token: 't' });
  const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;
  const age = async (seconds: number): Promise<void> => {
    const at = Date.now() / 1000 - seconds;
    await lutimes(`${path}.lock`, at, at);
  };

  test.each([
    ['of a process of this machine that is dead', () => holder(hostname(), deadPid()), 0],
    ['of another machine, when it is old', () => holder('elsewhere', process.pid), 11],
    ['that names nobody, when it is old', () => 'x', 11],
    ['of a living process of this machine, when it is old', () => holder(hostname(), process.pid), 11],
  ])('%s is taken over', async (_, text, ageSeconds) => {
    await symlink(text(), `${path}.lock`);
    await age(ageSeconds);
    const lock = await lockFile(path, never);
    expect(await lock.isStillHeld()).toBe(true);
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['of another machine', () => holder('elsewhere', deadPid())],
    ['of a living process of this machine', () => holder(hostname(), process.pid)],
    ['that names nobody', () => 'x'],
    ['that names half of a process', () => '{"host":1}'],
  ])('%s, when it is fresh, is waited for until the pass must stop', async (_, text) => {
    await symlink(text(), `${path}.lock`);
    const controller = new AbortController();
    const acquired = new FileStateStore(path).acquire(
      'default',
      { owner: 'p', now: NOW, leaseSeconds: 58 },
      controller.signal,
    );
    controller.abort(new Error('SIGTERM'));
    await expect(acquired).rejects.toMatchObject({ name: 'StateError', kind: 'aborted' });
    expect(await readdir(folder)).toEqual(['state.json.lock']);
  });

  test('of a successor is not removed by the one that was displaced', async () => {
    const lock = await lockFile(path, never);
    await rm(`${path}.lock`);
    await symlink(holder('elsewhere', 1), `${path}.lock`);
    expect(await lock.isStillHeld()).toBe(false);
    await lock.release();
    expect(await readdir(folder)).toEqual(['state.json.lock']);
  });

  test('does not stand in the way of a dry run', async () => {
    await put({ podsSeen: 4 });
    await symlink(holder('elsewhere', 1), `${path}.lock`);
    expect((await peek()).podsSeen).toBe(4);
  });
});
