/** DaemonSets, to be looked at: `kubectl drain` asks for the owner of every pod before it passes over it. */
import type { ClusterModel } from '../model.ts';
import type { Labels, Meta, Pod } from '../objects.ts';
import { HUB_NAMESPACE, PULLER_LABELS, SYSTEM_LABELS } from '../settings.ts';
import { refuse } from '../refusal.ts';
import { renderMeta } from './render.ts';
import type { Handle, Resource } from './resource.ts';

interface DaemonSet {
  readonly meta: Meta;
  readonly labels: Labels;
}

export function daemonSetResource(model: ClusterModel): Resource {
  const sets = daemonSetsOf(model);
  const readOnly = (): never =>
    refuse(405, 'MethodNotAllowed', 'the model’s DaemonSets are those that its pools bring');
  const handle = ({ meta, labels }: DaemonSet): Handle => ({
    meta,
    render: () => {
      const pods = [...model.podsIn(meta.namespace)].filter((pod) => isOf(pod, meta));
      const ready = pods.filter((pod) => pod.readyAt !== undefined).length;
      return {
        metadata: renderMeta(meta),
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
        status: {
          desiredNumberScheduled: pods.length,
          currentNumberScheduled: pods.length,
          numberReady: ready,
          numberAvailable: ready,
          numberMisscheduled: 0,
        },
      };
    },
    update: readOnly,
    updateStatus: undefined,
    changed: () => undefined,
    remove: readOnly,
  });
  return {
    group: 'apps',
    version: 'v1',
    plural: 'daemonsets',
    singular: 'daemonset',
    kind: 'DaemonSet',
    shortNames: ['ds'],
    isNamespaced: true,
    list: () => sets.map(handle),
    find: (namespace, name) => {
      const found = sets.find(({ meta }) => meta.namespace === namespace && meta.name === name);
      return found && handle(found);
    },
    create: readOnly,
  };
}

function isOf(pod: Pod, { name }: Meta): boolean {
  return pod.meta.owner?.kind === 'DaemonSet' && pod.meta.owner.name === name;
}

function daemonSetsOf(model: ClusterModel): readonly DaemonSet[] {
  const { pools } = model.settings;
  const hasPuller = pools.some((pool) => pool.hasImagePuller && pool.userImage !== undefined);
  return [
    ...(pools.length > 0 ? [daemonSet(model, SYSTEM)] : []),
    ...(hasPuller ? [daemonSet(model, PULLER)] : []),
  ];
}

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

const SYSTEM: Named = { namespace: 'kube-system', name: 'system', labels: SYSTEM_LABELS };
const PULLER: Named = { namespace: HUB_NAMESPACE, name: 'continuous-image-puller', labels: PULLER_LABELS };

function daemonSet(model: ClusterModel, { namespace, name, labels }: Named): DaemonSet {
  const meta: Meta = {
    namespace,
    name,
    uid: `daemonset-${name}`,
    createdAt: model.settings.startAt,
    sequence: 0,
    owner: undefined,
    labels,
    annotations: {},
    resourceVersion: 1,
    generation: 1,
    deletionAt: undefined,
    managedFields: [],
  };
  return { meta, labels };
}
