/**
 * Rules about bounds over several pools. `calendarMaxReplicas` belongs to the calendar that it stands beside, so all who
 * read that calendar must have the same one; and no bound may be less than the baselines under it, which it cannot cut.
 */
import type { Problem } from './explain.ts';
import { formatPath, type SettingPath } from './path.ts';
import { about, type Mapping, poolsOf, type PoolScope, type Scope } from './scopes.ts';
import { parseCalendarSource } from './sources.ts';

const KEY = 'calendarMaxReplicas';

/** @param folder that a relative calendar file is found from */
export function checkCaps(file: Mapping, scopes: readonly Scope[], folder: string): Problem[] {
  const readers = scopes.flatMap((scope) => readerOf(file, scope, folder));
  const sharers = [...Map.groupBy(readers, ({ calendar }) => calendar).values()];
  return [
    ...checkHasCalendar(file, scopes),
    ...sharers.flatMap(checkAgreement),
    ...sharers.flatMap(checkCalendarBaselines),
    ...checkBaselines(file['maxReplicasTotal'], {
      path: ['maxReplicasTotal'],
      pools: scopes.flatMap(poolsOf),
      whose: "the pools' `replicas`",
    }),
  ];
}

/** A cluster and the calendar that it reads. */
interface Reader {
  readonly scope: Scope;
  /** The same text for the same calendar. */
  readonly calendar: string;
  /** Where its cap stands, and what stands there; undefined: it has none. */
  readonly cap: { readonly path: SettingPath; readonly value: unknown } | undefined;
}

/** As resolve.ts lays a cluster over the file: one with a calendar of its own takes nothing of the file's. */
function readerOf(file: Mapping, scope: Scope, folder: string): readonly Reader[] {
  const isOwn = namesCalendar(scope.value);
  const { calendarId, calendarUrl } = isOwn ? scope.value : file;
  const source = parseCalendarSource(
    { calendarId: textOf(calendarId), calendarUrl: textOf(calendarUrl) },
    folder,
  );
  if (source === undefined) return [];
  const cap = capAt(scope.path, scope.value) ?? (isOwn ? undefined : capAt([], file));
  return [{ scope, calendar: JSON.stringify(source), cap }];
}

function capAt(path: SettingPath, value: Mapping): Reader['cap'] {
  return Object.hasOwn(value, KEY) ? { path: [...path, KEY], value: value[KEY] } : undefined;
}

function checkHasCalendar(file: Mapping, scopes: readonly Scope[]): Problem[] {
  if (namesCalendar(file)) return [];
  return [{ path: [], value: file }, ...scopes]
    .filter(({ value }) => Object.hasOwn(value, KEY) && !namesCalendar(value))
    .map(({ path }) =>
      about(
        [...path, KEY],
        'has no calendar to bound: move it to where `calendarId` or `calendarUrl` stands, or remove it',
      ),
    );
}

function checkAgreement(readers: readonly Reader[]): Problem[] {
  const stated = findStated(readers);
  if (stated === undefined) return [];
  const other = `but \`${formatPath(stated.path)}\` is ${stated.most} for the same calendar`;
  return readers.flatMap(({ scope, cap }) => {
    if (cap === undefined)
      return [about([...scope.path, KEY], `is missing, ${other}: write ${stated.most} here too`)];
    return typeof cap.value === 'number' && cap.value !== stated.most
      ? [about(cap.path, `is ${cap.value}, ${other}: write the same number at both`)]
      : [];
  });
}

function checkCalendarBaselines(readers: readonly Reader[]): Problem[] {
  const stated = findStated(readers);
  if (stated === undefined) return [];
  return checkBaselines(stated.most, {
    path: stated.path,
    pools: readers.flatMap(({ scope }) => poolsOf(scope)),
    whose: "the `replicas` of this calendar's pools",
  });
}

/** The first cap of these that is a number: what others are compared with. */
function findStated(
  readers: readonly Reader[],
): { readonly path: SettingPath; readonly most: number } | undefined {
  const caps = readers.flatMap(({ cap }) =>
    typeof cap?.value === 'number' ? [{ path: cap.path, most: cap.value }] : [],
  );
  return caps.at(0);
}

interface Bounded {
  readonly path: SettingPath;
  readonly pools: readonly PoolScope[];
  /** Subject of "add up to". */
  readonly whose: string;
}

function checkBaselines(most: unknown, { path, pools, whose }: Bounded): Problem[] {
  const baselines = pools
    .map(({ value }) => value['replicas'])
    .filter((one): one is number => Number.isSafeInteger(one));
  const sum = baselines.reduce((total, baseline) => total + baseline, 0);
  return typeof most === 'number' && sum > most
    ? [about(path, `is ${most}, but ${whose} add up to ${sum}`)]
    : [];
}

function namesCalendar(value: Mapping): boolean {
  return Object.hasOwn(value, 'calendarId') || Object.hasOwn(value, 'calendarUrl');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
