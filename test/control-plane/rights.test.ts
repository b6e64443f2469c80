/** The project's cluster YAML grants what the job needs and nothing more: each right is taken away in turn. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { LiveDeployment } from '../../functions/domain/placeholder.ts';
import type { Cluster } from '../../functions/ports.ts';
import type { AdminClient } from './admin-client.ts';
import { connectAdapter } from './connect.ts';
import { emailOf, tokenOf } from './files.ts';
import { connectControlPlane, isControlPlaneWanted, waitUntil, type ControlPlane } from './harness.ts';
import { applyObject, install, isAllowed, renderInstallation, type RoleObject } from './installation.ts';
import { PassScene } from './pass-scene.ts';
import { placeholders, podsOf, queryFor } from './placeholder-scene.ts';
import { addNode, deploymentPath, isRunning, livePods } from './scene.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const USER = 'job-rights';
const NAMESPACE = 'rights';
const POOL = 'rights';
const STARTUP_TIMEOUT_MS = 90_000;

interface Right {
  readonly role: 'ClusterRole' | 'Role';
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly verb: string;
}

function rightsOf(roles: readonly RoleObject[]): readonly Right[] {
  return roles.flatMap((role) =>
    role.rules.flatMap((rule) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.map((verb) => ({
          role: role.kind as Right['role'],
          group: rule.apiGroups[0] ?? '',
          resource,
          ...(rule.resourceNames?.[0] === undefined ? {} : { name: rule.resourceNames[0] }),
          verb,
        })),
      ),
    ),
  );
}

function withoutRight(role: RoleObject, right: Right): RoleObject {
  const rules = role.rules.map((rule) =>
    rule.resources.includes(right.resource)
      ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== right.verb) }
      : rule,
  );
  return { ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) };
}

describe.skipIf(!isControlPlaneWanted())('the rights of the job', () => {
  const signal = new AbortController().signal;
  const roles = renderInstallation(USER, NAMESPACE).filter(
    (object): object is RoleObject => object.kind === 'ClusterRole' || object.kind === 'Role',
  );
  let plane: ControlPlane;
  let admin: AdminClient;
  let cluster: Cluster;

  beforeAll(async () => {
    plane = await connectControlPlane();
    admin = plane.admin;
    await install(admin, USER, NAMESPACE);
    for (const right of rightsOf(roles)) await untilAnswered(right, true);
    cluster = connect(tokenOf(USER));
    await addNode(admin, { name: 'rights-a', pool: POOL });
    await cluster.apply(wanted(1), undefined, signal);
    await waitUntil('the placeholder runs', async () =>
      (await livePods(admin, NAMESPACE, podsOf(POOL))).some(isRunning),
    );
  }, STARTUP_TIMEOUT_MS);

  afterAll(async () => {
    await cluster.close();
    await admin.close();
  });

  function connect(token: string): Cluster {
    const { server, caFile } = plane.info;
    return connectAdapter({ server, ca: readFileSync(caFile, 'utf8'), token, namespace: NAMESPACE });
  }

  function wanted(replicas: number, pool = POOL) {
    return placeholders({ namespace: NAMESPACE, pool, replicas });
  }

  async function read(withObjects = false) {
    return await cluster.read({ ...queryFor(NAMESPACE, [POOL]), withObjects }, signal);
  }

  async function live(): Promise<LiveDeployment> {
    const found = (await read()).deployments.find(({ poolName }) => poolName === POOL);
    if (found === undefined) throw new Error('no Deployment');
    return found;
  }

  async function untilAnswered({ role, ...right }: Right, allowed: boolean): Promise<void> {
    const access = { ...right, ...(role === 'Role' ? { namespace: NAMESPACE } : {}) };
    await waitUntil(`${right.verb} ${right.resource}: ${allowed}`, async () => {
      return (await isAllowed(admin, USER, access)) === allowed;
    });
  }

  /** Runs something while the job lacks one right. */
  async function without<T>(right: Right, action: () => Promise<T>): Promise<T> {
    const role = roles.find(({ kind }) => kind === right.role);
    if (role === undefined) throw new Error(`no ${right.role}`);
    await applyObject(admin, withoutRight(role, right));
    try {
      await untilAnswered(right, false);
      return await action();
    } finally {
      await applyObject(admin, role);
      await untilAnswered(right, true);
    }
  }

  const CORE_CLUSTER = { role: 'ClusterRole', group: '' } as const;
  const DEPLOYMENTS = { role: 'Role', group: 'apps', resource: 'deployments' } as const;
  const PRIORITY_CLASS: Right = {
    role: 'ClusterRole',
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    name: 'node-placeholder',
    verb: 'get',
  };
  const BUDGET: Right = {
    role: 'Role',
    group: 'policy',
    resource: 'poddisruptionbudgets',
    name: 'node-placeholder-cold',
    verb: 'get',
  };

  interface Refusal {
    readonly right: Right;
    readonly act: () => Promise<unknown>;
    /** What the message tells to grant. */
    readonly rule: string;
  }

  const REFUSALS: readonly Refusal[] = [
    {
      right: { ...CORE_CLUSTER, resource: 'nodes', verb: 'list' },
      act: async () => await read(),
      rule: '{apiGroups: [""], resources: ["nodes"], verbs: ["list"]} in a ClusterRole',
    },
    {
      right: { ...CORE_CLUSTER, resource: 'pods', verb: 'list' },
      act: async () => await read(),
      rule: '{apiGroups: [""], resources: ["pods"], verbs: ["list"]} in a ClusterRole',
    },
    {
      right: { ...DEPLOYMENTS, verb: 'list' },
      act: async () => await read(),
      rule: '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"]} in a Role of rights',
    },
    {
      right: { ...DEPLOYMENTS, verb: 'create' },
      act: async () => await cluster.apply(wanted(1, 'rights-other'), undefined, signal),
      rule: '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["create","patch"]} in a Role of rights',
    },
    {
      right: { ...DEPLOYMENTS, verb: 'patch' },
      act: async () => await cluster.apply(wanted(2), await live(), signal),
      rule: '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["create","patch"]} in a Role of rights',
    },
    {
      right: { role: 'Role', group: '', resource: 'pods', verb: 'patch' },
      act: async () => await cluster.markWarm((await read()).placeholders[0]!, signal),
      rule: '{apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in a Role of rights',
    },
  ];

  it.each(REFUSALS.map((row) => ({ ...row, name: `${row.right.verb} ${row.right.resource}` })))(
    'without $name: says which rule is missing and which file grants it',
    async ({ right, act, rule }) => {
      const error: unknown = await without(right, async () =>
        act().then(
          () => undefined,
          (reason: unknown) => reason,
        ),
      );
      expect(error).toMatchObject({ name: 'ClusterError', kind: 'forbidden', status: 403 });
      const { message, remedy } = error as { message: string; remedy: string };
      expect(message).toContain(`"${emailOf(USER)}" cannot ${right.verb} resource "${right.resource}"`);
      expect(remedy).toContain(rule);
      expect(remedy).toContain('infra/cluster/autoscaler.yaml');
    },
  );

  it('without get deployments: a write that met a newer status is refused and says which rule is missing', async () => {
    const right: Right = { ...DEPLOYMENTS, verb: 'get' };
    const older = await live();
    await admin.merge(deploymentPath(NAMESPACE, older.name), {
      metadata: { annotations: { touched: 'yes' } },
    });
    await without(right, async () => {
      await expect(cluster.apply(wanted(2), older, signal)).rejects.toMatchObject({ kind: 'forbidden' });
    });
    expect(await cluster.apply(wanted(1), older, signal)).toBe('configured');
  });

  it('without get on the priority class or the budget: reads on, and says that it was not allowed to look', async () => {
    const unseenClass = await without(PRIORITY_CLASS, async () => await read(true));
    expect(unseenClass.objects).toEqual({ priorityClass: { kind: 'forbidden' }, warmBudget: 'present' });
    const unseenBudget = await without(BUDGET, async () => await read(true));
    expect(unseenBudget.objects).toMatchObject({
      priorityClass: { kind: 'present' },
      warmBudget: 'forbidden',
    });
  });

  it('grants nothing that the tests above do not need', () => {
    const needed = [
      ...REFUSALS.map(({ right }) => right),
      { ...DEPLOYMENTS, verb: 'get' },
      PRIORITY_CLASS,
      BUDGET,
    ];
    const inWords = (rights: readonly Right[]) => rights.map((right) => JSON.stringify(right, KEYS)).sort();
    expect(inWords(rightsOf(roles))).toEqual(inWords(needed));
  });

  describe('a whole pass', () => {
    const HEALTHY = 'rights-healthy';

    beforeAll(async () => {
      await addNode(admin, { name: `${HEALTHY}-a`, pool: HEALTHY });
    });

    function openScene(pool: string): PassScene {
      const resources = '{ requests: { cpu: 3500m, memory: 1Gi } }';
      const config = `nodePools: { ${pool}: { replicas: 1, resources: ${resources} } }`;
      return new PassScene({ plane, user: USER, namespace: NAMESPACE, config });
    }

    async function removePool(pool: string): Promise<void> {
      const path = deploymentPath(NAMESPACE, `${pool}-placeholder`);
      if ((await admin.find(path)) !== undefined) await admin.delete(path);
      await waitUntil(`${pool} is gone`, async () => {
        return (await livePods(admin, NAMESPACE, podsOf(pool))).length === 0;
      });
    }

    it('has all the rights it needs', async () => {
      const { report, log } = await openScene(POOL).pass();
      expect(report.outcome).toBe('ok');
      expect([...log.at('warn'), ...log.at('error')]).toEqual([]);
    });

    it.each(
      REFUSALS.slice(0, -1).map((row) => ({ ...row, name: `${row.right.verb} ${row.right.resource}` })),
    )('without $name: fails, and its log says which rule is missing', async ({ right, rule }) => {
      const { report, log } = await without(right, async () => await openScene(HEALTHY).pass());
      expect(report).toMatchObject({ outcome: 'failed', exitCode: 1 });
      const [line, ...others] = log.at('error');
      expect(others).toEqual([]);
      expect(line?.fields['remedy']).toContain(rule);
      expect(line?.fields['remedy']).toContain('scripts/render-cluster-yaml.sh');
      await removePool(HEALTHY);
    });

    it.each([
      {
        name: 'patch pods',
        right: { role: 'Role', group: '', resource: 'pods', verb: 'patch' } as const,
        rule: '{apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in a Role of rights',
      },
      {
        name: 'get priorityclasses',
        right: PRIORITY_CLASS,
        rule: '{apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: ["get"]} in a ClusterRole',
      },
      {
        name: 'get poddisruptionbudgets',
        right: BUDGET,
        rule: '{apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"]} in a Role of rights',
      },
    ])('without $name: does the rest, and says once which rule is missing', async ({ right, rule }) => {
      const scene = openScene(HEALTHY);
      await scene.pass();
      await waitUntil('the placeholder runs', async () =>
        (await livePods(admin, NAMESPACE, podsOf(HEALTHY))).some(isRunning),
      );
      const passes = await without(right, async () => {
        // The objects are looked at once an hour.
        return [await scene.pass(3600), await scene.pass(), await scene.pass()];
      });
      expect(passes.map(({ report }) => report.outcome)).toEqual(['ok', 'ok', 'ok']);
      const problems = passes.flatMap(({ log }) => log.at('warn')).map(({ fields }) => fields['problem']);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(rule);
      expect(problems[0]).toContain('scripts/render-cluster-yaml.sh');
      await removePool(HEALTHY);
    });
  });

  it('come with the documented command, which changes nothing when it is run again', () => {
    const render =
      'scripts/render-cluster-yaml.sh --service-account "$EMAIL" --unique-id 1 --namespace by-kubectl';
    const apply = () =>
      spawnSync('sh', ['-c', `${render} | kubectl apply --server-side -f -`], {
        cwd: ROOT,
        encoding: 'utf8',
        env: {
          PATH: `${plane.programs}${delimiter}${process.env['PATH'] ?? ''}`,
          HOME: plane.info.folder,
          KUBECONFIG: plane.info.kubeconfigs.admin,
          EMAIL: emailOf(USER),
        },
      });
    const first = apply();
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout.trim().split('\n')).toEqual([
      'namespace/by-kubectl serverside-applied',
      'priorityclass.scheduling.k8s.io/node-placeholder serverside-applied',
      'poddisruptionbudget.policy/node-placeholder-cold serverside-applied',
      'clusterrole.rbac.authorization.k8s.io/calendar-node-pool-autoscaler serverside-applied',
      'clusterrolebinding.rbac.authorization.k8s.io/calendar-node-pool-autoscaler serverside-applied',
      'role.rbac.authorization.k8s.io/calendar-node-pool-autoscaler serverside-applied',
      'rolebinding.rbac.authorization.k8s.io/calendar-node-pool-autoscaler serverside-applied',
    ]);
    expect(apply()).toEqual({ ...first, pid: expect.any(Number) as number });
  });

  it('are the same for a job that the server knows by the number of its account', async () => {
    const numbered = connect(tokenOf('numbered'));
    const reading = await numbered.read(queryFor(NAMESPACE, [POOL]), signal);
    await numbered.close();
    expect(reading.nodes.map(({ name }) => name)).toEqual(['rights-a']);
  });

  it('do not reach beyond the namespace: another one can be neither read nor written', async () => {
    const elsewhere = { ...queryFor('default', [POOL]) };
    await expect(cluster.read(elsewhere, signal)).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

const KEYS = ['role', 'group', 'resource', 'name', 'verb'];
