/** Requests that write: their bodies read, and what is wrong with them refused as the API server refuses it. */
import { parse as parseYaml } from 'yaml';
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import type { JsonObject, JsonValue } from '../objects.ts';
import { refuse } from '../refusal.ts';
import type { Handle, Resource } from './resource.ts';
import { apiVersionOf, qualifiedName } from './resource.ts';
import type { Route } from './route.ts';

export interface ApiRequest {
  readonly method: string;
  readonly route: Route;
  readonly parameters: URLSearchParams;
  readonly contentType: string;
  readonly body: string;
  /** Who writes, where the request names no field manager. */
  readonly userAgent: string;
}

/** kubectl's own verbs speak it; the model reads JSON and YAML. */
export function checkReadable(contentType: string): void {
  if (contentType !== 'application/vnd.kubernetes.protobuf') return;
  const message =
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml';
  refuse(415, 'UnsupportedMediaType', message);
}

export function parseJson(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return refuse(400, 'BadRequest', 'the object provided is unrecognized: couldn’t parse the body as JSON');
  }
}

/** JSON is YAML: one reader takes both. */
export function parseBody(body: string): JsonObject {
  let value: JsonValue;
  try {
    value = body.trimStart().startsWith('{') ? parseJson(body) : (parseYaml(body) as JsonValue);
  } catch {
    return refuse(400, 'BadRequest', 'error parsing YAML');
  }
  return isObject(value) ? value : refuse(400, 'BadRequest', "Object 'Kind' is missing");
}

export function checkType(resource: Resource, document: JsonObject): void {
  const kind = textAt(document, 'kind');
  const apiVersion = textAt(document, 'apiVersion');
  if (kind === undefined) refuse(400, 'BadRequest', "Object 'Kind' is missing");
  if (apiVersion === undefined) refuse(400, 'BadRequest', "Object 'apiVersion' is missing");
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    const problem = `${apiVersion}, Kind=${kind} does not match ${apiVersionOf(resource)}, Kind=${resource.kind}`;
    refuse(
      400,
      'BadRequest',
      `the API version in the data does not match the expected API version: ${problem}`,
    );
  }
}

export function checkApply(request: ApiRequest, wanted: JsonObject): void {
  if ((request.parameters.get('fieldManager') ?? '') === '') {
    const problem = 'fieldManager: Required value: is required for apply patch';
    refuse(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: ${problem}`);
  }
  checkType(request.route.resource, wanted);
  const metadata = objectAt(wanted, 'metadata');
  if (listAt(metadata, 'managedFields').length > 0)
    refuse(400, 'BadRequest', 'metadata.managedFields must be nil');
  const name = textAt(metadata, 'name') ?? request.route.name;
  if (name !== request.route.name) {
    refuse(400, 'BadRequest', `the name of the object (${String(name)}) does not match the name on the URL`);
  }
}

/** A uid or resourceVersion that is stated must be the live one. */
export function checkPreconditions(resource: Resource, handle: Handle, stated: JsonObject): void {
  const uid = textAt(stated, 'uid');
  const version = textAt(stated, 'resourceVersion');
  const subject = `Operation cannot be fulfilled on ${qualifiedName(resource)} "${handle.meta.name}"`;
  if (uid !== undefined && uid !== handle.meta.uid) {
    const problem = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${handle.meta.uid}`;
    refuse(409, 'Conflict', `${subject}: ${problem}`);
  }
  if (version !== undefined && version !== '' && version !== String(handle.meta.resourceVersion)) {
    const problem =
      'the object has been modified; please apply your changes to the latest version and try again';
    refuse(409, 'Conflict', `${subject}: ${problem}`);
  }
}
