import { describe, expect, it } from 'vitest';
import { fieldsOf, pathsOf, subtract, unite } from '../../functions/embedded/api/field-sets.ts';
import { jsonPatch, mergePatch } from '../../functions/embedded/api/patch.ts';
import { afterUpdate, applyDocument } from '../../functions/embedded/api/server-side-apply.ts';
import type { Applied } from '../../functions/embedded/api/server-side-apply.ts';
import type { JsonObject, ManagedFields } from '../../functions/embedded/objects.ts';

const COMMON = { apiVersion: 'apps/v1', at: 0, name: 'x' } as const;

function apply(
  live: JsonObject,
  wanted: JsonObject,
  more: {
    readonly managers?: readonly ManagedFields[];
    readonly manager?: string;
    readonly force?: boolean;
  } = {},
): Applied {
  return applyDocument({ ...COMMON, live, wanted, managers: [], manager: 'job', force: false, ...more });
}

describe('server-side apply', () => {
  it('owns what it sets, item by item where items have names', () => {
    const wanted = {
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'pause', image: 'a' }] } } },
    };
    expect(fieldsOf(wanted)).toEqual({
      'f:spec': {
        'f:replicas': {},
        'f:template': {
          'f:spec': {
            'f:containers': { 'k:{"name":"pause"}': { '.': {}, 'f:name': {}, 'f:image': {} } },
          },
        },
      },
    });
  });

  const merges: readonly {
    readonly name: string;
    readonly live: JsonObject;
    readonly wanted: JsonObject;
    readonly merged: JsonObject;
  }[] = [
    {
      name: 'leaves what it does not mention',
      live: { spec: { replicas: 1, paused: true } },
      wanted: { spec: { replicas: 2 } },
      merged: { spec: { replicas: 2, paused: true } },
    },
    {
      name: 'merges containers by name, in place',
      live: {
        spec: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'b', image: '1', tty: true },
          ],
        },
      },
      wanted: {
        spec: {
          containers: [
            { name: 'b', image: '2' },
            { name: 'c', image: '1' },
          ],
        },
      },
      merged: {
        spec: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'b', image: '2', tty: true },
            { name: 'c', image: '1' },
          ],
        },
      },
    },
    {
      name: 'replaces lists and maps that are one thing',
      live: { spec: { tolerations: [{ key: 'a' }], nodeSelector: { a: '1' } } },
      wanted: { spec: { tolerations: [{ key: 'b' }], nodeSelector: { b: '2' } } },
      merged: { spec: { tolerations: [{ key: 'b' }], nodeSelector: { b: '2' } } },
    },
  ];
  it.each(merges)('$name', ({ live, wanted, merged }) => {
    expect(apply(live, wanted).document).toEqual(merged);
  });

  it('removes what it set before and no longer wants, but not what another manager wants too', () => {
    const first = apply({}, { metadata: { labels: { a: '1', b: '1' } } });
    const other = apply(
      first.document,
      { metadata: { labels: { b: '1' } } },
      { managers: first.managers, manager: 'other' },
    );
    const second = apply(other.document, { metadata: { labels: {} } }, { managers: other.managers });
    expect(second.document).toEqual({ metadata: { labels: { b: '1' } } });
    expect(second.managers.map(({ manager }) => manager)).toEqual(['job', 'other']);
  });

  it('names every field that another manager holds with another value', () => {
    const other = apply({}, { spec: { replicas: 3, paused: true } }, { manager: 'kubectl' });
    const wanted = { spec: { replicas: 1, paused: true } };
    expect(() => apply(other.document, wanted, { managers: other.managers })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas',
    );
  });

  it('takes the field over by force, and the other keeps the rest', () => {
    const other = apply({}, { spec: { replicas: 3, paused: true } }, { manager: 'kubectl' });
    const mine = apply(other.document, { spec: { replicas: 1 } }, { managers: other.managers, force: true });
    expect(mine.document).toEqual({ spec: { replicas: 1, paused: true } });
    expect(mine.managers).toMatchObject([
      { manager: 'job', fields: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'kubectl', fields: { 'f:spec': { 'f:paused': {} } } },
    ]);
  });

  it('loses to a plain update what that changed', () => {
    const mine = apply({}, { spec: { replicas: 1, paused: false } });
    const wanted = { spec: { replicas: 7, paused: false } };
    const managers = afterUpdate({
      ...COMMON,
      live: mine.document,
      wanted,
      managers: mine.managers,
      manager: 'kubectl-scale',
    });
    expect(managers).toMatchObject([
      { manager: 'job', operation: 'Apply', fields: { 'f:spec': { 'f:paused': {} } } },
      { manager: 'kubectl-scale', operation: 'Update', fields: { 'f:spec': { 'f:replicas': {} } } },
    ]);
  });

  it('counts fields as sets', () => {
    const a = fieldsOf({ spec: { replicas: 1, paused: true } });
    const b = fieldsOf({ spec: { paused: true } });
    expect(subtract(a, b)).toEqual(fieldsOf({ spec: { replicas: 1 } }));
    expect(unite(subtract(a, b), b)).toEqual(a);
    expect(pathsOf(a)).toEqual(['.spec.replicas', '.spec.paused']);
  });
});

describe('patches', () => {
  it('merge: sets, goes into maps, removes by null, replaces lists', () => {
    const target = { metadata: { labels: { a: '1', b: '2' } }, list: [1, 2] };
    const patch = { metadata: { labels: { a: null, c: '3' } }, list: [3] };
    expect(mergePatch(target, patch)).toEqual({ metadata: { labels: { b: '2', c: '3' } }, list: [3] });
  });

  const operations: readonly {
    readonly name: string;
    readonly patch: readonly JsonObject[];
    readonly result: JsonObject;
  }[] = [
    {
      name: 'adds a key',
      patch: [{ op: 'add', path: '/a/c', value: 1 }],
      result: { a: { b: [1, 2], c: 1 } },
    },
    { name: 'replaces', patch: [{ op: 'replace', path: '/a/b', value: 3 }], result: { a: { b: 3 } } },
    { name: 'removes', patch: [{ op: 'remove', path: '/a/b' }], result: { a: {} } },
    {
      name: 'inserts into a list',
      patch: [{ op: 'add', path: '/a/b/1', value: 9 }],
      result: { a: { b: [1, 9, 2] } },
    },
    {
      name: 'appends to a list',
      patch: [{ op: 'add', path: '/a/b/-', value: 9 }],
      result: { a: { b: [1, 2, 9] } },
    },
    { name: 'removes from a list', patch: [{ op: 'remove', path: '/a/b/0' }], result: { a: { b: [2] } } },
    {
      name: 'reads slashes in keys',
      patch: [
        { op: 'add', path: '/a/x~1y', value: 1 },
        { op: 'test', path: '/a/x~1y', value: 1 },
      ],
      result: { a: { b: [1, 2], 'x/y': 1 } },
    },
  ];
  it.each(operations)('JSON: $name', ({ patch, result }) => {
    expect(jsonPatch({ a: { b: [1, 2] } }, patch)).toEqual(result);
  });

  const refusals: readonly { readonly name: string; readonly patch: JsonObject; readonly message: string }[] =
    [
      {
        name: 'a test that fails',
        patch: { op: 'test', path: '/a/b', value: 1 },
        message: 'testing value /a/b failed',
      },
      {
        name: 'a missing key replaced',
        patch: { op: 'replace', path: '/x', value: 1 },
        message: 'replace operation does not apply',
      },
      {
        name: 'a missing key removed',
        patch: { op: 'remove', path: '/x' },
        message: 'remove operation does not apply',
      },
      {
        name: 'a child of nothing',
        patch: { op: 'add', path: '/x/y', value: 1 },
        message: 'add operation does not apply',
      },
      {
        name: 'an unknown operation',
        patch: { op: 'move', path: '/x' },
        message: 'is add, remove, replace or test',
      },
    ];
  it.each(refusals)('JSON refuses $name', ({ patch, message }) => {
    expect(() => jsonPatch({ a: { b: [1, 2] } }, [patch])).toThrow(message);
  });
});
