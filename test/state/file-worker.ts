/**
 * A process that uses a state file and can be made to die, or to be displaced, at any step of it.
 *   file-worker.ts kill STEP PATH      saves once; at call STEP of the file system it kills itself
 *   file-worker.ts displace PATH OTHER saves once; before it syncs, its lock is taken and the file replaced by OTHER
 *   file-worker.ts count TIMES NAME PATH   takes and releases the lease of cluster NAME so many times
 * It prints `calls N` when it comes to its end.
 */
import type { FileHandle } from 'node:fs/promises';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';

type Hook = (call: string, handle?: FileHandle) => Promise<void>;

const [mode = '', ...args] = process.argv.slice(2);
const never = new AbortController().signal;
const NOW = Date.UTC(2026, 2, 2, 9, 0);

// A file size limit announces itself by this signal before the write fails; a full disk does not.
process.on('SIGXFSZ', () => undefined);

let calls = 0;
await run();
process.stdout.write(`calls ${calls}\n`);

async function run(): Promise<void> {
  if (mode === 'kill') await saveWith(killAt(Number(args[0])), args[1] ?? '');
  else if (mode === 'displace') await saveWith(displace(args[0] ?? '', args[1] ?? ''), args[0] ?? '');
  else await takeAndRelease(Number(args[0]), args[1] ?? '', args[2] ?? '');
}

async function saveWith(hook: Hook, path: string): Promise<void> {
  const { FileStateStore } = await import('../../functions/state/file.ts');
  const store = new FileStateStore(path);
  const claim = { owner: 'worker', now: NOW, leaseSeconds: 58 };
  const answer = await store.acquire('default', claim, never);
  if (answer.kind === 'held') throw new Error('held');
  intercept(hook);
  const state = { podsSeen: 2, reported: ['x'.repeat(20_000)] };
  await store.save('default', { lease: answer.lease, state, release: true }, never);
}

async function takeAndRelease(times: number, name: string, path: string): Promise<void> {
  const { FileStateStore } = await import('../../functions/state/file.ts');
  const store = new FileStateStore(path);
  for (let turn = 0; turn < times; turn += 1) {
    const answer = await store.acquire(name, { owner: name, now: NOW, leaseSeconds: 58 }, never);
    if (answer.kind === 'held') throw new Error('held');
    await store.save(name, { lease: answer.lease, state: { podsSeen: turn + 1 }, release: true }, never);
  }
}

/** Calls the hook before every call to the file system, and in the middle of every write. */
function intercept(hook: Hook): void {
  const { open, readFile, readlink, realpath, rename, rm, stat, symlink } = files;
  const around =
    <A extends unknown[], R>(name: string, original: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await hook(name);
      return original(...given);
    };
  Object.assign(files, {
    readFile: around('readFile', readFile),
    readlink: around('readlink', readlink),
    symlink: around('symlink', symlink),
    realpath: around('realpath', realpath),
    rename: around('rename', rename),
    rm: around('rm', rm),
    stat: around('stat', stat),
    open: around('open', async (...given: Parameters<typeof open>) => {
      const handle = await open(...given);
      const write = handle.write.bind(handle) as (text: string) => Promise<unknown>;
      return Object.assign(handle, {
        writeFile: async (text: string) => {
          await hook('write', handle);
          await write(text.slice(0, text.length / 2));
          await hook('write the rest');
          await write(text.slice(text.length / 2));
        },
        sync: around('sync', handle.sync.bind(handle)),
        close: around('close', handle.close.bind(handle)),
      });
    }),
  });
  syncBuiltinESMExports();
}

function killAt(step: number): Hook {
  return () => {
    calls += 1;
    if (calls === step) process.kill(process.pid, 'SIGKILL');
    return Promise.resolve();
  };
}

function displace(path: string, other: string): Hook {
  const { copyFile, rm, symlink } = files;
  let isDone = false;
  return async (call) => {
    calls += 1;
    if (call !== 'sync' || isDone) return;
    isDone = true;
    // Another pass that found this one suspended for too long, saved and was killed before it could unlock.
    await copyFile(other, path);
    await rm(`${path}.lock`);
    await symlink(JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, token: 'another' }), `${path}.lock`);
  };
}
