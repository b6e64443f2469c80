/**
 * What a pass reads of the model, by the same reducers that read a real API server's lists. A simulated term reads
 * 161,280 times and little changes between two minutes: what did not change is not reduced again.
 */
import type { NodeFacts } from '../domain/node.ts';
import { readNode } from '../domain/node.ts';
import type { LiveDeployment, PlaceholderPod } from '../domain/placeholder.ts';
import { readDeployment, readPlaceholder, WARM_BUDGET_NAME } from '../domain/placeholder.ts';
import type { NodeUsage } from '../domain/usage.ts';
import { createUsageTally } from '../domain/usage.ts';
import type { ClusterObjects, ClusterQuery, ClusterReading } from '../ports.ts';
import { renderDeployment, renderNode, renderPod } from './api/render.ts';
import type { ClusterModel } from './model.ts';
import { isTerminal, keyOf } from './model.ts';
import type { Meta, Node } from './objects.ts';

/** A reduction, and the version of the object that it was made from. */
interface Kept<T> {
  readonly version: number;
  readonly value: T;
}

export class ModelReader {
  readonly #model: ClusterModel;
  readonly #query: ClusterQuery;
  readonly #nodes = new WeakMap<Node, Kept<NodeFacts>>();
  readonly #deployments = new WeakMap<object, Kept<LiveDeployment>>();
  readonly #placeholders = new WeakMap<object, Kept<PlaceholderPod | undefined>>();
  readonly #usage = new Map<Node, NodeUsage | undefined>();
  #last: Kept<ClusterReading> | undefined;

  constructor(model: ClusterModel, query: ClusterQuery) {
    this.#model = model;
    this.#query = query;
    model.listen((event) => {
      if ('pod' in event && event.pod.node !== undefined) this.#usage.delete(event.pod.node);
      if (event.kind === 'nodeRemoved') this.#usage.delete(event.node);
    });
  }

  read(): ClusterReading {
    const { revision } = this.#model;
    if (this.#last?.version !== revision) this.#last = { version: revision, value: this.#reduce() };
    return this.#last.value;
  }

  #reduce(): ClusterReading {
    const { nodePoolSelectorKey, nodeLabels, namespace } = this.#query;
    const nodes = [...this.#model.nodes.values()];
    const managed = nodes.filter((node) => nodeLabels.includes(node.meta.labels[nodePoolSelectorKey] ?? ''));
    const deployments = [...this.#model.deployments.values()].filter(
      (each) => each.meta.namespace === namespace,
    );
    return {
      nodes: managed.map((node) =>
        keep(this.#nodes, node, () => readNode(asRead(renderNode(node)), this.#query)),
      ),
      usage: new Map(
        nodes.flatMap((node) => {
          const usage = this.#usageOf(node);
          return usage === undefined ? [] : [[node.meta.name, usage] as const];
        }),
      ),
      placeholders: this.#placeholdersIn(namespace),
      deployments: deployments.map((each) =>
        keep(this.#deployments, each, () => readDeployment(asRead(renderDeployment(this.#model, each)))),
      ),
      objects: undefined,
    };
  }

  #placeholdersIn(namespace: string): readonly PlaceholderPod[] {
    const found: PlaceholderPod[] = [];
    for (const pod of this.#model.podsIn(namespace)) {
      const placeholder = keep(this.#placeholders, pod, () =>
        readPlaceholder(asRead(renderPod(pod)), namespace),
      );
      if (placeholder !== undefined) found.push(placeholder);
    }
    return found;
  }

  #usageOf(node: Node): NodeUsage | undefined {
    if (!this.#usage.has(node)) {
      const tally = createUsageTally(this.#query);
      for (const pod of node.pods) if (!isTerminal(pod)) tally.add(asRead(renderPod(pod)));
      this.#usage.set(node, tally.usage().get(node.meta.name));
    }
    return this.#usage.get(node);
  }
}

/** The PriorityClass and the budget, as a pass looks at them now and then. */
export function readModelObjects(model: ClusterModel, query: ClusterQuery): ClusterObjects {
  const priorityClass = model.priorityClasses.get(query.priorityClassName);
  return {
    priorityClass:
      priorityClass === undefined
        ? { kind: 'missing' }
        : { kind: 'present', value: priorityClass.value, preemptionPolicy: priorityClass.preemptionPolicy },
    warmBudget: model.budgets.has(keyOf(query.namespace, WARM_BUDGET_NAME)) ? 'present' : 'missing',
  };
}

function keep<T>(kept: WeakMap<object, Kept<T>>, object: { readonly meta: Meta }, reduce: () => T): T {
  const known = kept.get(object);
  const version = object.meta.resourceVersion;
  if (known?.version === version) return known.value;
  const value = reduce();
  kept.set(object, { version, value });
  return value;
}

/** A document is what it is; the reducers look at it field by field, as they do at what a server sends. */
function asRead(document: object): object {
  return document;
}
