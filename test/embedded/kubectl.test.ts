import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedApi } from '../../functions/embedded/https.ts';
import { startEmbeddedApi } from '../../functions/embedded/https.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { findPrograms } from '../control-plane/programs.ts';
import { aCluster, addPod, aPool } from './pool.ts';

const CERTS = fileURLToPath(new URL('../certs/', import.meta.url));
const [key, cert, ca] = ['server.key', 'server.pem', 'ca.pem'].map((name) =>
  readFileSync(join(CERTS, name), 'utf8'),
) as [string, string, string];
const programs = findPrograms(process.env);
const kubectlPath = programs.kind === 'found' ? join(programs.folder, 'kubectl') : '';

const OBJECTS = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: x }
spec:
  replicas: 2
  selector: { matchLabels: { app: x } }
  template: { metadata: { labels: { app: x } }, spec: { containers: [{ name: c, image: i }] } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: b }
spec: { maxUnavailable: 0, selector: { matchLabels: { app: x } } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
`;

/** Where the programs are missing, the real control plane's own setup says so, and fails in CI. */
describe.skipIf(programs.kind === 'missing')('kubectl on the model cluster', () => {
  let model: ClusterModel;
  let api: EmbeddedApi;
  let home: string;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'kubectl-'));
    model = aCluster([aPool({ initialNodes: 2, minNodes: 2 })]);
    model.clock.runUntil(model.clock.now() + 3_600_000);
    api = await startEmbeddedApi({ model, tls: { key, cert, ca } });
  });

  afterEach(async () => {
    await api.close();
    rmSync(home, { recursive: true });
  });

  async function kubectl(...words: readonly string[]): Promise<readonly string[]> {
    const reach = [`--server=${api.url}`, `--certificate-authority=${join(CERTS, 'ca.pem')}`, '--token=any'];
    const child = spawn(kubectlPath, [...reach, ...words], { env: { HOME: home, KUBECONFIG: '' } });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return `${output}${errors}`.trimEnd().split('\n');
  }

  /** Without the widths of the columns. */
  const cells = (lines: readonly string[]): readonly (readonly string[])[] =>
    lines.map((line) => line.split(/ {2,}/));
  const nodeNames = (): readonly string[] => [...model.nodes.keys()];

  it('prints nodes with their state and age', async () => {
    const [first, second] = nodeNames();
    await kubectl('cordon', first ?? '');
    expect(cells(await kubectl('get', 'nodes'))).toEqual([
      ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
      [first, 'Ready,SchedulingDisabled', '<none>', '60m', 'v1.36.3'],
      [second, 'Ready', '<none>', '60m', 'v1.36.3'],
    ]);
  });

  it('prints pods with what they wait for and where they are', async () => {
    addPod(model, { name: 'user-a' });
    addPod(model, { name: 'huge', cpu: '500' });
    model.clock.runUntil(model.clock.now() + 60_000);
    const [, ...rows] = cells(await kubectl('get', 'pods', '-n', 'hub', '-o', 'wide'));
    const shown = rows.filter(([name]) => name === 'user-a' || name === 'huge');
    const age = expect.stringMatching(/^\d+s$/) as string;
    expect(shown).toEqual([
      ['huge', '0/1', 'Pending', '0', age, '<none>', '<none>'],
      ['user-a', '1/1', 'Running', '0', age, expect.stringMatching(/^gke-/), '<none>'],
    ]);
  });

  it('prints Deployments, DaemonSets, budgets, and anything else by name and age', async () => {
    const file = join(home, 'objects.yaml');
    writeFileSync(file, OBJECTS);
    expect(await kubectl('apply', '--server-side', '-n', 'hub', '-f', file)).toEqual([
      'deployment.apps/x serverside-applied',
      'poddisruptionbudget.policy/b serverside-applied',
      'configmap/settings serverside-applied',
    ]);
    model.clock.runUntil(model.clock.now() + 60_000);
    const get = async (kind: string): Promise<unknown> => cells(await kubectl('get', kind, '-n', 'hub'));
    const age = expect.stringMatching(/^\d+[sm]$/) as string;
    expect(await get('deployments')).toEqual([
      ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
      ['x', '2/2', '2', '2', age],
    ]);
    expect(await get('daemonsets')).toEqual([
      ['NAME', 'DESIRED', 'CURRENT', 'READY', 'AGE'],
      ['continuous-image-puller', '2', '2', '2', age],
    ]);
    expect(await get('poddisruptionbudgets')).toEqual([
      ['NAME', 'MIN AVAILABLE', 'MAX UNAVAILABLE', 'ALLOWED DISRUPTIONS', 'AGE'],
      ['b', 'N/A', '0', '0', age],
    ]);
    expect(await get('configmaps')).toEqual([
      ['NAME', 'AGE'],
      ['settings', age],
    ]);
  });

  it('drains a node: DaemonSets’ pods stay, others go', async () => {
    const [node = ''] = nodeNames();
    addPod(model, { name: 'user-a', spec: { nodeName: node } });
    model.clock.runUntil(model.clock.now() + 60_000);
    const said = await kubectl('drain', node, '--ignore-daemonsets', '--force', '--timeout=20s');
    expect(said).toEqual(
      expect.arrayContaining([
        `node/${node} cordoned`,
        'evicting pod hub/user-a',
        'pod/user-a evicted',
        `node/${node} drained`,
      ]),
    );
    expect([...(model.nodes.get(node)?.pods ?? [])].map((pod) => pod.meta.owner?.kind)).toEqual([
      'DaemonSet',
      'DaemonSet',
    ]);
  });
});
