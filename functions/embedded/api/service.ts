/** The verbs of the Kubernetes API over the model: what a request does and how it is answered, without a network. */
import { isEqualJson, numberAt, objectAt, textAt, textsAt } from '../json.ts';
import type { ClusterModel } from '../model.ts';
import type { JsonObject, ManagedFields } from '../objects.ts';
import { refuse } from '../refusal.ts';
import { evictPod } from './eviction.ts';
import type { Lister } from './list.ts';
import { jsonPatch, mergePatch } from './patch.ts';
import type { ApiRequest } from './requests.ts';
import {
  checkApply,
  checkPreconditions,
  checkReadable,
  checkType,
  parseBody,
  parseJson,
} from './requests.ts';
import type { Handle, Resource } from './resource.ts';
import { apiVersionOf, qualifiedName } from './resource.ts';
import type { Route } from './route.ts';
import { readScale, renderScale } from './scale.ts';
import { afterUpdate, applyDocument, ownedFields } from './server-side-apply.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

const APPLY = 'application/apply-patch+yaml';

export class ApiService {
  readonly #model: ClusterModel;
  readonly #lister: Lister;

  constructor(model: ClusterModel, lister: Lister) {
    this.#model = model;
    this.#lister = lister;
  }

  /** @throws RefusalError */
  answer(request: ApiRequest): ApiAnswer {
    const { name, subresource } = request.route;
    if (name === undefined) return this.#answerCollection(request);
    if (subresource === 'eviction') return evictPod(this.#model, this.#existing(request));
    if (subresource !== undefined && subresource !== 'status' && subresource !== 'scale') {
      return refuse(404, 'NotFound', 'the server could not find the requested resource');
    }
    switch (request.method) {
      case 'GET':
        return { status: 200, body: this.#show(request, this.#existing(request)) };
      case 'PUT':
        return this.#replace(request);
      case 'PATCH':
        return this.#patch(request);
      case 'DELETE':
        return this.#remove(request);
      default:
        return refuse(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
        );
    }
  }

  #answerCollection(request: ApiRequest): ApiAnswer {
    const { resource, namespace } = request.route;
    switch (request.method) {
      case 'GET':
        return {
          status: 200,
          body: this.#lister.list(resource, { namespace, parameters: request.parameters }),
        };
      case 'POST':
        checkReadable(request.contentType);
        return this.#create(request, parseBody(request.body));
      case 'DELETE':
        for (const handle of [...resource.list()]) {
          if (namespace === undefined || handle.meta.namespace === namespace) handle.remove(undefined);
        }
        return { status: 200, body: success() };
      default:
        return refuse(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
        );
    }
  }

  #show(request: ApiRequest, handle: Handle): JsonObject {
    const { resource, subresource } = request.route;
    const document = typed(resource, handle.render());
    return subresource === 'scale' ? renderScale(document) : document;
  }

  #existing(request: ApiRequest): Handle {
    const { resource, namespace, name = '' } = request.route;
    const found = resource.find(namespace ?? '', name);
    return found ?? refuse(404, 'NotFound', `${qualifiedName(resource)} "${name}" not found`);
  }

  #create(request: ApiRequest, document: JsonObject): ApiAnswer {
    const { resource } = request.route;
    checkType(resource, document);
    const metadata = objectAt(document, 'metadata');
    const name = textAt(metadata, 'name') ?? this.#generateName(metadata);
    const namespace = this.#namespaceFor(request.route, metadata);
    if (resource.find(namespace, name) !== undefined) {
      refuse(409, 'AlreadyExists', `${qualifiedName(resource)} "${name}" already exists`);
    }
    if (isDryRun(request)) return { status: 201, body: document };
    const handle = resource.create(document, {
      name,
      namespace,
      labels: textsAt(metadata, 'labels'),
      annotations: textsAt(metadata, 'annotations'),
    });
    handle.meta.managedFields = [this.#entry(request, ownedFields(document))];
    return { status: 201, body: typed(resource, handle.render()) };
  }

  #generateName(metadata: JsonObject): string {
    const prefix = textAt(metadata, 'generateName');
    if (prefix === undefined)
      refuse(422, 'Invalid', 'metadata.name: Required value: name or generateName is required');
    return `${prefix}${this.#model.newSuffix(5)}`;
  }

  #namespaceFor(route: Route, metadata: JsonObject): string {
    if (!route.resource.isNamespaced) return '';
    const namespace = route.namespace ?? 'default';
    const stated = textAt(metadata, 'namespace') ?? namespace;
    if (stated !== namespace) {
      refuse(
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
    if (!this.#model.namespaces.has(namespace))
      refuse(404, 'NotFound', `namespaces "${namespace}" not found`);
    return namespace;
  }

  #replace(request: ApiRequest): ApiAnswer {
    const handle = this.#existing(request);
    checkReadable(request.contentType);
    const document = parseBody(request.body);
    if (request.route.subresource !== 'scale') checkType(request.route.resource, document);
    return this.#write(request, handle, document);
  }

  #patch(request: ApiRequest): ApiAnswer {
    const { resource } = request.route;
    switch (request.contentType) {
      case APPLY:
        return this.#apply(request);
      case 'application/merge-patch+json':
      case 'application/strategic-merge-patch+json': {
        const handle = this.#existing(request);
        const patch = parseBody(request.body);
        checkPreconditions(resource, handle, objectAt(patch, 'metadata'));
        return this.#write(request, handle, mergePatch(this.#show(request, handle), patch));
      }
      case 'application/json-patch+json': {
        const handle = this.#existing(request);
        return this.#write(request, handle, jsonPatch(this.#show(request, handle), parseJson(request.body)));
      }
      default:
        return refuse(
          415,
          'UnsupportedMediaType',
          `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, ${APPLY}`,
        );
    }
  }

  #apply(request: ApiRequest): ApiAnswer {
    const { resource, namespace = '', name = '' } = request.route;
    const wanted = parseBody(request.body);
    checkApply(request, wanted);
    const metadata = objectAt(wanted, 'metadata');
    const handle = resource.find(namespace, name);
    if (handle === undefined) return this.#applyNew(request, wanted);
    checkPreconditions(resource, handle, metadata);
    const applied = applyDocument({
      live: this.#show(request, handle),
      wanted,
      managers: handle.meta.managedFields,
      manager: request.parameters.get('fieldManager') ?? '',
      force: request.parameters.get('force') === 'true',
      apiVersion: apiVersionOf(resource),
      at: this.#model.clock.now(),
      name,
    });
    return this.#store(request, handle, applied);
  }

  #applyNew(request: ApiRequest, wanted: JsonObject): ApiAnswer {
    const { resource, name = '' } = request.route;
    const uid = textAt(objectAt(wanted, 'metadata'), 'uid');
    if (uid !== undefined) {
      const problem = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      refuse(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${qualifiedName(resource)} "${name}": ${problem}`,
      );
    }
    return this.#create(request, wanted);
  }

  /** A plain update: PUT, or a patch once it is carried out. */
  #write(request: ApiRequest, handle: Handle, document: JsonObject): ApiAnswer {
    const { resource, subresource } = request.route;
    const live = typed(resource, handle.render());
    checkPreconditions(resource, handle, objectAt(document, 'metadata'));
    if (subresource === 'status') return this.#writeStatus(request, handle, document);
    const wanted = subresource === 'scale' ? readScale(live, document) : document;
    const managers = afterUpdate({
      live,
      wanted,
      managers: handle.meta.managedFields,
      manager: managerOf(request),
      apiVersion: apiVersionOf(resource),
      at: this.#model.clock.now(),
    });
    return this.#store(request, handle, { document: wanted, managers });
  }

  #writeStatus(request: ApiRequest, handle: Handle, document: JsonObject): ApiAnswer {
    if (handle.updateStatus !== undefined && !isDryRun(request)) {
      handle.updateStatus(objectAt(document, 'status'));
      handle.changed();
    }
    return { status: 200, body: this.#show(request, handle) };
  }

  /** Writes only what differs: a request that changes nothing leaves the resourceVersion alone. */
  #store(
    request: ApiRequest,
    handle: Handle,
    next: { readonly document: JsonObject; readonly managers: readonly ManagedFields[] },
  ): ApiAnswer {
    const live = typed(request.route.resource, handle.render());
    const isSame =
      isEqualJson(ownPart(live), ownPart(next.document)) &&
      isSameOwnership(handle.meta.managedFields, next.managers);
    if (isSame || isDryRun(request)) {
      return { status: 200, body: isSame ? this.#show(request, handle) : next.document };
    }
    const metadata = objectAt(next.document, 'metadata');
    handle.update(next.document);
    handle.meta.labels = textsAt(metadata, 'labels');
    handle.meta.annotations = textsAt(metadata, 'annotations');
    handle.meta.managedFields = next.managers;
    handle.changed();
    return { status: 200, body: this.#show(request, handle) };
  }

  #remove(request: ApiRequest): ApiAnswer {
    const handle = this.#existing(request);
    checkReadable(request.contentType);
    const options = request.body === '' ? {} : parseBody(request.body);
    checkPreconditions(request.route.resource, handle, objectAt(options, 'preconditions'));
    const fromQuery = request.parameters.get('gracePeriodSeconds');
    if (!isDryRun(request)) {
      handle.remove(
        numberAt(options, 'gracePeriodSeconds') ?? (fromQuery === null ? undefined : Number(fromQuery)),
      );
    }
    return { status: 200, body: success() };
  }

  #entry(request: ApiRequest, fields: JsonObject): ManagedFields {
    return {
      manager: managerOf(request),
      operation: request.method === 'PATCH' ? 'Apply' : 'Update',
      apiVersion: apiVersionOf(request.route.resource),
      at: this.#model.clock.now(),
      fields,
    };
  }
}

function managerOf(request: ApiRequest): string {
  return request.parameters.get('fieldManager') ?? (request.userAgent.split('/')[0] || 'unknown');
}

function isDryRun(request: ApiRequest): boolean {
  return request.parameters.get('dryRun') === 'All';
}

export function typed(resource: Resource, document: JsonObject): JsonObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...document };
}

/** What a client can change: no status, nothing that the server keeps for itself. */
function ownPart(document: JsonObject): JsonObject {
  const meta = objectAt(document, 'metadata');
  return {
    ...document,
    status: null,
    metadata: null,
    labels: textsAt(meta, 'labels'),
    annotations: textsAt(meta, 'annotations'),
  };
}

function isSameOwnership(a: readonly ManagedFields[], b: readonly ManagedFields[]): boolean {
  return (
    a.length === b.length &&
    a.every((entry) =>
      b.some(
        (other) =>
          other.manager === entry.manager &&
          other.operation === entry.operation &&
          isEqualJson(other.fields, entry.fields),
      ),
    )
  );
}

export function success(): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
}
