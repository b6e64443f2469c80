/**
 * Nodes and pods as a big JupyterHub cluster has them, written by the page: one text a kind, copied and numbered, so that
 * hundreds of thousands of pods cost a memory copy each and none of them is kept.
 */

/** Digits of a number in the text: every object of a kind is equally long. */
const NODE_DIGITS = 5;
const POD_DIGITS = 7;
const NODE_MARK = '@'.repeat(NODE_DIGITS);
const POD_MARK = '#'.repeat(POD_DIGITS);

export const POOL_LABEL = 'hub.jupyter.org/pool-name';
/** Every node is as full as in class: none has room, so a pool's count is its baseline. */
const NODE_CPU = '15890m';
const NODE_MEMORY = '59350076Ki';

/** Where the numbers stand in a text. */
interface Template {
  readonly bytes: Buffer;
  readonly nodeSlots: readonly number[];
  readonly podSlots: readonly number[];
}

function template(object: unknown): Template {
  const bytes = Buffer.from(JSON.stringify(object));
  return { bytes, nodeSlots: slotsOf(bytes, NODE_MARK), podSlots: slotsOf(bytes, POD_MARK) };
}

function slotsOf(bytes: Buffer, mark: string): readonly number[] {
  const slots: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) slots.push(at);
  return slots;
}

const STARTED = '2026-11-30T08:00:00Z';

function condition(type: string, status = 'True') {
  return {
    type,
    status,
    lastProbeTime: null,
    lastHeartbeatTime: STARTED,
    lastTransitionTime: STARTED,
    reason: `${type}IsSo`,
    message: `the kubelet says so of ${type}`,
  };
}

function managedFields(manager: string, fields: readonly string[]) {
  const of = (name: string) => [`f:${name}`, { '.': {}, 'f:value': {} }] as const;
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: STARTED,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': Object.fromEntries(fields.map(of)) },
  };
}

const ENVIRONMENT = Array.from({ length: 25 }, (_, index) => ({
  name: `JUPYTERHUB_SETTING_NUMBER_${index}`,
  value: `https://hub.example.edu/services/jupyterhub/a-setting-of-quite-ordinary-length/that-a-hub-writes/${index}`,
}));

function container(name: string, requests: Readonly<Record<string, string>>, env: unknown) {
  return {
    name,
    image: `registry.example/${name}:2026.11.1`,
    ...(env === undefined ? {} : { env }),
    resources: { requests, limits: { memory: '4Gi' } },
    volumeMounts: [
      { name: 'home', mountPath: '/home/jovyan', subPath: `${name}-${POD_MARK}` },
      { name: 'shared', mountPath: '/home/jovyan/shared', readOnly: true },
    ],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { runAsUser: 1000, allowPrivilegeEscalation: false },
  };
}

interface PodShape {
  readonly name: string;
  readonly component: string;
  readonly requests: Readonly<Record<string, string>>;
  readonly env: unknown;
}

function podOf({ name, component, requests, env }: PodShape) {
  const fields = [
    'affinity',
    'containers',
    'enableServiceLinks',
    'securityContext',
    'tolerations',
    'volumes',
  ];
  return {
    metadata: {
      name: `${name}-${POD_MARK}`,
      namespace: 'hub',
      uid: `00000000-0000-4000-8000-00000${POD_MARK}`,
      resourceVersion: POD_MARK,
      creationTimestamp: STARTED,
      labels: { app: 'jupyterhub', component, release: 'hub', 'hub.jupyter.org/username': POD_MARK },
      annotations: { 'hub.jupyter.org/username': POD_MARK },
      managedFields: [managedFields('kubernetes', fields), managedFields('kubelet', fields)],
    },
    spec: {
      volumes: [
        { name: 'home', persistentVolumeClaim: { claimName: 'home-nfs' } },
        { name: 'shared', persistentVolumeClaim: { claimName: 'shared-nfs' } },
      ],
      containers: [container(name, requests, env)],
      restartPolicy: 'OnFailure',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      nodeSelector: { [POOL_LABEL]: 'base' },
      nodeName: `node-${NODE_MARK}`,
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'hub.jupyter.org/dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      ],
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: runningStatus(name),
  };
}

function runningStatus(name: string) {
  return {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => condition(type)),
    hostIP: '10.0.0.1',
    podIP: '10.1.0.1',
    startTime: STARTED,
    containerStatuses: [
      {
        name,
        state: { running: { startedAt: STARTED } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example/${name}:2026.11.1`,
        imageID: `registry.example/${name}@sha256:${'0123456789abcdef'.repeat(4)}`,
        containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
        started: true,
      },
    ],
    qosClass: 'Burstable',
  };
}

const USER_POD = podOf({
  name: 'jupyter',
  component: 'singleuser-server',
  requests: { cpu: '500m', memory: '2Gi' },
  env: ENVIRONMENT,
});
const SYSTEM_POD = podOf({
  name: 'image-puller',
  component: 'continuous-image-puller',
  requests: { cpu: '100m', memory: '64Mi' },
  env: undefined,
});

const NODE = {
  metadata: {
    name: `node-${NODE_MARK}`,
    uid: `00000000-0000-4000-9000-0000000${NODE_MARK}`,
    resourceVersion: NODE_MARK,
    creationTimestamp: STARTED,
    labels: {
      [POOL_LABEL]: 'base',
      'kubernetes.io/hostname': `node-${NODE_MARK}`,
      'cloud.google.com/gke-nodepool': 'base',
      'topology.kubernetes.io/zone': 'us-central1-b',
    },
    managedFields: [managedFields('kubelet', ['podCIDR', 'providerID', 'taints'])],
  },
  spec: { podCIDR: '10.1.0.0/24', providerID: `gce://project/us-central1-b/node-${NODE_MARK}` },
  status: {
    capacity: { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '98831908Ki' },
    allocatable: { cpu: NODE_CPU, memory: NODE_MEMORY, pods: '110', 'ephemeral-storage': '47060071478' },
    conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) =>
      condition(type, type === 'Ready' ? 'True' : 'False'),
    ),
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    nodeInfo: { kubeletVersion: 'v1.36.3', osImage: 'Container-Optimized OS', architecture: 'amd64' },
    images: Array.from({ length: 12 }, (_, index) => ({
      names: [`registry.example/image-${index}@sha256:${'0123456789abcdef'.repeat(4)}`],
      sizeBytes: 1_000_000 + index,
    })),
  },
};

const NODE_TEMPLATE = template(NODE);
const USER_TEMPLATE = template(USER_POD);
const SYSTEM_TEMPLATE = template(SYSTEM_POD);

/** Of thirty pods on a node three are daemons. */
const SYSTEM_EVERY = 10;

/** One of them as a person would create it on a real API server, which fills in what is left out here. */
export function creatableNode(
  node: number,
  labels: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  return creatable(writeObject({ template: NODE_TEMPLATE, node, pod: 0 }), { kind: 'Node', labels });
}

/** Key and value of the label that the first so many nodes may be given, for who wants to select them. */
export function labelOfFirst(count: number): readonly [key: string, value: string] {
  return [`bench.example/first-${count}`, 'yes'];
}

export function creatablePod(pod: number, node: number): Readonly<Record<string, unknown>> {
  return {
    ...creatable(writeObject({ template: templateOf(pod), node, pod }), { kind: 'Pod', labels: {} }),
    status: {},
  };
}

interface Metadata extends Readonly<Record<string, unknown>> {
  readonly labels?: Readonly<Record<string, string>>;
}

interface Creation {
  readonly kind: string;
  /** Beside those that it is written with. */
  readonly labels: Readonly<Record<string, string>>;
}

function creatable(written: Buffer, { kind, labels }: Creation): Readonly<Record<string, unknown>> {
  const object = JSON.parse(written.toString()) as { readonly metadata: Metadata };
  const { name, namespace, annotations } = object.metadata;
  const allLabels = { ...object.metadata.labels, ...labels };
  return { ...object, apiVersion: 'v1', kind, metadata: { name, namespace, labels: allLabels, annotations } };
}

function templateOf(pod: number): Template {
  return pod % SYSTEM_EVERY === 0 ? SYSTEM_TEMPLATE : USER_TEMPLATE;
}

export interface Page {
  readonly from: number;
  readonly to: number;
  /** Undefined on the last one. */
  readonly continueToken: string | undefined;
  readonly remaining: number;
}

export function writeNodes(page: Page): Buffer {
  return writeList('NodeList', page, (number) => ({ template: NODE_TEMPLATE, node: number, pod: 0 }));
}

/** The pods stand on the nodes in turn, `podsPerNode` on each. */
export function writePods(page: Page, podsPerNode: number): Buffer {
  return writeList('PodList', page, (number) => ({
    template: templateOf(number),
    node: Math.floor(number / podsPerNode),
    pod: number,
  }));
}

interface Numbered {
  readonly template: Template;
  readonly node: number;
  readonly pod: number;
}

/** As an API server writes it: kind and metadata before the items. */
function writeList(kind: string, page: Page, objectAt: (number: number) => Numbered): Buffer {
  const { continueToken, remaining } = page;
  const more = continueToken === undefined ? {} : { continue: continueToken, remainingItemCount: remaining };
  const head = JSON.stringify({ kind, apiVersion: 'v1', metadata: { resourceVersion: '1', ...more } });
  const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  for (let number = page.from; number < page.to; number += 1) {
    if (number > page.from) parts.push(COMMA);
    parts.push(writeObject(objectAt(number)));
  }
  parts.push(END);
  return Buffer.concat(parts);
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}\n');

function writeObject({ template: { bytes, nodeSlots, podSlots }, node, pod }: Numbered): Buffer {
  const written = Buffer.from(bytes);
  const nodeDigits = String(node).padStart(NODE_DIGITS, '0');
  const podDigits = String(pod).padStart(POD_DIGITS, '0');
  for (const at of nodeSlots) written.write(nodeDigits, at, 'latin1');
  for (const at of podSlots) written.write(podDigits, at, 'latin1');
  return written;
}

/** Sizes of one object of each kind in bytes, for the description of what is measured. */
export const OBJECT_BYTES = {
  node: NODE_TEMPLATE.bytes.length,
  userPod: USER_TEMPLATE.bytes.length,
  systemPod: SYSTEM_TEMPLATE.bytes.length,
};
