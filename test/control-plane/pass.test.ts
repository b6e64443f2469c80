/** Passes of the product on a real control plane: its scheduler evicts, its controllers replace, its audit log counts. */
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { WARMTH_LABEL } from '../../functions/domain/placeholder.ts';
import type { AdminClient } from './admin-client.ts';
import { countByVerb } from './audit-log.ts';
import {
  connectControlPlane,
  installFor,
  isControlPlaneWanted,
  waitUntil,
  type ControlPlane,
} from './harness.ts';
import { countsOf, firstRequestsOf, PassScene, writesOf } from './pass-scene.ts';
import { podsOf } from './placeholder-scene.ts';
import {
  addNamespace,
  addNode,
  addPod,
  deploymentPath,
  isRunning,
  livePods,
  nodeOf,
  podPath,
} from './scene.ts';

const USER = 'job-pass';
const NAMESPACE = 'pass';
const USERS = 'pass-users';
const STARTUP_TIMEOUT_MS = 90_000;
const USER_IMAGE = 'registry.example/user-image:1';

describe.skipIf(!isControlPlaneWanted())('passes on a real control plane', () => {
  let plane: ControlPlane;
  let admin: AdminClient;

  beforeAll(async () => {
    plane = await connectControlPlane();
    admin = plane.admin;
    await installFor(admin, USER, NAMESPACE);
    await addNamespace(admin, USERS);
  }, STARTUP_TIMEOUT_MS);

  afterAll(async () => {
    await admin.close();
  });

  function openScene(config: string): PassScene {
    return new PassScene({ plane, user: USER, namespace: NAMESPACE, config });
  }

  async function untilRunning(pool: string, running: number, pending = 0): Promise<readonly V1Pod[]> {
    return await waitUntil(`${running} placeholders of ${pool} run, ${pending} wait`, async () => {
      const pods = await livePods(admin, NAMESPACE, podsOf(pool));
      const isSo =
        pods.filter(isRunning).length === running &&
        pods.filter((pod) => nodeOf(pod) === undefined).length === pending;
      return isSo && pods;
    });
  }

  async function addUser(pool: string, name: string, cpu: string): Promise<string> {
    const pod = await addPod(admin, { name: `${pool}-${name}`, namespace: USERS, pool, cpu });
    return await waitUntil(`${name} runs`, async () => {
      const now = await admin.get<V1Pod>(podPath(pod));
      return isRunning(now) && nodeOf(now);
    });
  }

  async function removeUser(pool: string, name: string): Promise<void> {
    const path = `/api/v1/namespaces/${USERS}/pods/${pool}-${name}`;
    await admin.delete(path);
    await waitUntil(`${name} is gone`, async () => (await admin.find(path)) === undefined);
  }

  async function deploymentOf(pool: string): Promise<V1Deployment> {
    return await admin.get(deploymentPath(NAMESPACE, `${pool}-placeholder`));
  }

  async function removePool(pool: string): Promise<void> {
    await admin.delete(deploymentPath(NAMESPACE, `${pool}-placeholder`));
    await untilRunning(pool, 0);
  }

  it('holds while a user has just evicted a placeholder, and counts a node as room only after its grace', async () => {
    const pool = 'evicted';
    const scene = openScene(`
warmFirst: false
nodePools:
  ${pool}:
    replicas: 1
    resources: { requests: { cpu: 3500m, memory: 1Gi } }
`);
    await addNode(admin, { name: `${pool}-1`, pool });
    const steps: unknown[] = [];
    async function pass(secondsLater: number) {
      const { report } = await scene.pass(secondsLater);
      steps.push(...countsOf(report).map(({ rule, wanted, applied }) => [rule, wanted, applied]));
    }
    await pass(60);
    await untilRunning(pool, 1);
    expect(await addUser(pool, 'u1', '3500m')).toBe(`${pool}-1`);
    await untilRunning(pool, 0, 1);
    await pass(60);
    await addNode(admin, { name: `${pool}-2`, pool });
    await untilRunning(pool, 1);
    await pass(60);
    await removeUser(pool, 'u1');
    await pass(300);
    await pass(299);
    await pass(1);
    expect(steps).toEqual([
      ['room', 1, 'created'],
      ['pending', 1, 'unchanged'],
      // It has landed: its own node holds it, the user's is full.
      ['room', 1, 'unchanged'],
      // The user has gone; his node was busy five, then just under ten, then ten minutes ago.
      ['room', 1, 'unchanged'],
      ['room', 1, 'unchanged'],
      ['room', 0, 'configured'],
    ]);
    await removePool(pool);
  });

  it('leaves a Deployment that is as wanted alone for an hour of passes', async () => {
    const pool = 'quiet';
    const scene = openScene(`
nodePools:
  ${pool}:
    replicas: 1
    resources: { requests: { cpu: 3500m, memory: 1Gi } }
`);
    await addNode(admin, { name: `${pool}-1`, pool });
    await scene.pass();
    await untilRunning(pool, 1);
    // Marks the placeholder: the nearest to warm, and then never again.
    expect(countByVerb((await scene.pass()).requests)).toMatchObject({ patch: 1 });
    const generation = (await deploymentOf(pool)).metadata?.generation;
    const writes: unknown[] = [];
    for (let minute = 0; minute < 60; minute += 1) writes.push(...writesOf((await scene.pass()).requests));
    expect(writes).toEqual([]);
    expect((await deploymentOf(pool)).metadata?.generation).toBe(generation);
    expect(generation).toBe(1);
    await removePool(pool);
  });

  it('sends users to warm nodes first, with its own objects and passes, and marks a placeholder once', async () => {
    const pool = 'class';
    const scene = openScene(`
userImages: ['registry.example/user-image']
nodePools:
  ${pool}:
    replicas: 3
    resources: { requests: { cpu: 3500m, memory: 1Gi } }
`);
    const patches: string[] = [];
    async function pass() {
      const { requests } = await scene.pass();
      patches.push(...requests.filter(({ uri }) => uri.includes('/pods/')).map(({ uri }) => uri));
    }
    for (const name of ['1', '2', '3']) {
      await addNode(admin, { name: `${pool}-${name}`, pool, images: [USER_IMAGE] });
    }
    await pass();
    await untilRunning(pool, 3);
    await pass();
    const first = await addUser(pool, 'u1', '3');
    // The replacement lands on a new node, whose image is not there yet.
    await untilRunning(pool, 2, 1);
    await pass();
    await addNode(admin, { name: `${pool}-cold`, pool, images: ['registry.example/other:1'] });
    await untilRunning(pool, 3);
    await pass();
    const places = [first, await addUser(pool, 'u2', '3'), await addUser(pool, 'u3', '3')];
    expect(places.sort()).toEqual([`${pool}-1`, `${pool}-2`, `${pool}-3`]);
    expect(await addUser(pool, 'u4', '3')).toBe(`${pool}-cold`);
    await pass();
    expect(new Set(patches).size).toBe(patches.length);
    expect(patches).toHaveLength(3);
    for (const name of ['u1', 'u2', 'u3', 'u4']) await removeUser(pool, name);
    await removePool(pool);
  });

  it('takes a placeholder that was evicted between reading and marking for gone, without a second try', async () => {
    const pool = 'race';
    const scene = openScene(`
nodePools:
  ${pool}:
    replicas: 1
    resources: { requests: { cpu: 3500m, memory: 1Gi } }
`);
    await addNode(admin, { name: `${pool}-1`, pool });
    await scene.pass();
    const [pod] = await untilRunning(pool, 1);
    scene.beforeWrite = async () => {
      await admin.delete(podPath(pod!));
      await waitUntil('it is gone', async () => (await admin.find(podPath(pod!))) === undefined);
    };
    const { report, requests, log } = await scene.pass();
    expect(countByVerb(writesOf(requests))).toEqual({ patch: 1 });
    expect(report.outcome).toBe('ok');
    expect([...log.at('warn'), ...log.at('error')]).toEqual([]);
    const [next] = await untilRunning(pool, 1);
    expect(next?.metadata?.labels?.[WARMTH_LABEL]).toBe('cold');
    await removePool(pool);
  });

  describe('with 100 nodes and 2,000 pods', () => {
    const NODES_IN_POOL = 50;
    const SPARE_NODES = 5;
    const PODS = 2000;
    const POOLS = ['base', 'workshop'];
    const CONFIG = `
warmFirst: false
nodePools:
  base:
    replicas: 1
    resources: { requests: { cpu: '12', memory: 4Gi } }
  workshop:
    replicas: 2
    resources: { requests: { cpu: '12', memory: 4Gi } }
`;

    beforeAll(async () => {
      const busy: string[] = [];
      for (const pool of POOLS) {
        for (let index = 0; index < NODES_IN_POOL; index += 1) {
          const name = `${pool}-${index}`;
          await addNode(admin, { name, pool, cpu: '16', memory: '64Gi' });
          if (index >= SPARE_NODES) busy.push(name);
        }
      }
      const lanes = Array.from({ length: 8 }, async (_, lane) => {
        for (let index = lane; index < PODS; index += 8) {
          const nodeName = busy[index % busy.length]!;
          await addPod(admin, { name: `load-${index}`, namespace: USERS, nodeName, cpu: '500m' });
        }
      });
      await Promise.all(lanes);
    }, STARTUP_TIMEOUT_MS);

    it('creates both Deployments with the right counts, and then writes nothing and asks little', async () => {
      const scene = openScene(CONFIG);
      scene.announce('base: 5');
      const first = await scene.pass();
      expect(first.report).toMatchObject({ outcome: 'ok', exitCode: 0 });
      expect(countsOf(first.report)).toEqual([
        { pool: 'base', wanted: 5, rule: 'room', applied: 'created' },
        { pool: 'workshop', wanted: 2, rule: 'room', applied: 'created' },
      ]);
      expect((await deploymentOf('base')).spec?.replicas).toBe(5);
      expect((await deploymentOf('workshop')).spec?.replicas).toBe(2);
      await untilRunning('base', 5);
      await untilRunning('workshop', 2);

      const second = await scene.pass();
      expect(second.report).toMatchObject({ outcome: 'ok', exitCode: 0 });
      expect(writesOf(second.requests)).toEqual([]);
      expect(firstRequestsOf(second.requests).length).toBeLessThanOrEqual(4);
      expect(countsOf(second.report)).toEqual([
        { pool: 'base', wanted: 5, rule: 'room', applied: 'unchanged' },
        { pool: 'workshop', wanted: 2, rule: 'room', applied: 'unchanged' },
      ]);
      // Its own count of requests, which the log shows, is the server's.
      const counted = Object.values(second.report.requests).reduce((sum, count) => sum + count, 0);
      expect(counted).toBe(second.requests.length);
    });
  });
});
