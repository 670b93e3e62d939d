import type { KubernetesObject } from './api-server.ts';

/**
 * The parts of a pod that `Kubelet` implements. Unknown volumes and probes are rejected; other
 * fields are ignored.
 */
export interface PodSpec {
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    readonly fsGroup?: number;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly [other: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly envFrom?: readonly { readonly configMapRef?: Reference; readonly secretRef?: Reference }[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: KeyReference; readonly configMapKeyRef?: KeyReference };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly?: boolean;
  }[];
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly sizeLimit?: string };
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
  /** Of a StatefulSet's claim. */
  readonly claim?: { readonly storage: string };
}

export interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string | number };
  readonly tcpSocket?: { readonly port: string | number };
  readonly exec?: { readonly command: readonly string[] };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

type Quantities = Readonly<Record<string, string>>;
interface Reference {
  readonly name: string;
}
interface KeyReference extends Reference {
  readonly key: string;
  readonly optional?: boolean;
}

/** A pod of a Deployment, StatefulSet, Job or CronJob. */
export interface Pod {
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface Service extends KubernetesObject {
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: Template;
    readonly volumeClaimTemplates?: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
    }[];
  };
}

interface CronJob extends KubernetesObject {
  readonly spec: { readonly jobTemplate: { readonly spec: { readonly template: Template } } };
}

/** Returns the pod of each CronJob, as a Job created from it would run it. */
export function podsOfCronJobs(objects: readonly KubernetesObject[]): Pod[] {
  return objects
    .filter((object): object is CronJob => object.kind === 'CronJob')
    .map(({ kind, metadata: { name }, spec: { jobTemplate } }) => {
      const { metadata, spec } = jobTemplate.spec.template;
      return { kind, name: `${name}-0`, labels: metadata.labels, spec };
    });
}

/** Returns the pods that controllers would create, one for each replica. */
export function podsOf(objects: readonly KubernetesObject[]): Pod[] {
  return objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .flatMap((object) => {
      const { kind, metadata, spec } = object as Workload;
      const claims = (spec.volumeClaimTemplates ?? []).map((claim) => ({
        name: claim.metadata.name,
        claim: { storage: claim.spec.resources.requests.storage },
      }));
      const podSpec = { ...spec.template.spec, volumes: [...(spec.template.spec.volumes ?? []), ...claims] };
      return Array.from({ length: spec.replicas ?? 1 }, (_, i) => ({
        kind,
        name: `${metadata.name}-${i}`,
        labels: spec.template.metadata.labels,
        spec: podSpec,
      }));
    });
}

/** The values of ConfigMaps and Secrets by key, for each kind and name. */
export class Settings {
  readonly #values = new Map<string, Readonly<Record<string, string>>>();

  constructor(objects: readonly KubernetesObject[]) {
    for (const object of objects) {
      const { data = {} } = object as { data?: Record<string, string> };
      if (object.kind === 'ConfigMap') this.#values.set(`ConfigMap ${object.metadata.name}`, data);
      if (object.kind === 'Secret') {
        const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
        this.#values.set(`Secret ${object.metadata.name}`, Object.fromEntries(decoded) as Record<string, string>);
      }
    }
  }

  /** Throws if the object does not exist, because its pod would not start. */
  of(kind: 'ConfigMap' | 'Secret', name: string): Readonly<Record<string, string>> {
    const values = this.#values.get(`${kind} ${name}`);
    if (!values) throw new Error(`there is no ${kind} ${name}`);
    return values;
  }

  /** A container's environment. */
  environmentOf({ name, envFrom = [], env = [] }: Container): Record<string, string> {
    const found: Record<string, string> = {};
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef) Object.assign(found, this.of('ConfigMap', configMapRef.name));
      if (secretRef) Object.assign(found, this.of('Secret', secretRef.name));
    }
    for (const { name: key, value, valueFrom } of env) {
      const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
      const reference = secretKeyRef ?? configMapKeyRef;
      if (!reference) found[key] = expand(value ?? '', found);
      else {
        const text = this.of(secretKeyRef ? 'Secret' : 'ConfigMap', reference.name)[reference.key];
        if (text !== undefined) found[key] = text;
        else if (!reference.optional) throw new Error(`container ${name}: ${reference.name} has no ${reference.key}`);
      }
    }
    return found;
  }
}

/** Replaces `$(NAME)` as Kubernetes does in commands, arguments and values. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (whole, name: string | undefined) => (name === undefined ? '$' : (values[name] ?? whole)));
}

/** Returns the number of a container's port. */
export function portOf({ ports = [], name }: Container, port: string | number): number {
  if (typeof port === 'number') return port;
  const found = ports.find((one) => one.name === port);
  if (!found) throw new Error(`container ${name} has no port ${port}`);
  return found.containerPort;
}

/** Parses a quantity of memory or storage, in bytes: a number with Ki, Mi or Gi. */
export function bytesOf(quantity: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(quantity) ?? [];
  if (number === undefined) throw new Error(`not a quantity of bytes: ${quantity}`);
  return Number(number) * 1024 ** ['', 'Ki', 'Mi', 'Gi'].indexOf(unit);
}

/** Parses a CPU quantity: `2` or `250m`. */
export function processorsOf(quantity: string): number {
  return quantity.endsWith('m') ? Number(quantity.slice(0, -1)) / 1_000 : Number(quantity);
}

/**
 * Returns the `docker run` arguments for a container's restrictions. Throws for restrictions that
 * Docker cannot implement.
 */
export function restrictionsOf(
  { securityContext: ofPod = {} }: PodSpec,
  { name, securityContext = {}, resources = {} }: Container,
): string[] {
  if (ofPod.seccompProfile?.type !== 'RuntimeDefault')
    throw new Error(`container ${name}: only the seccomp profile RuntimeDefault is known`);
  if (ofPod.runAsUser === undefined || ofPod.runAsGroup === undefined) throw new Error(`container ${name} has no user or group`);
  if (ofPod.runAsNonRoot === true && ofPod.runAsUser === 0) throw new Error(`container ${name} must not run as root`);
  const { limits = {}, requests = {} } = resources;
  const { drop = [], add = [] } = securityContext.capabilities ?? {};
  return [
    `--user=${ofPod.runAsUser}:${ofPod.runAsGroup}`,
    ...(ofPod.fsGroup === undefined ? [] : [`--group-add=${ofPod.fsGroup}`]),
    ...(securityContext.readOnlyRootFilesystem === true ? ['--read-only'] : []),
    ...(securityContext.allowPrivilegeEscalation === false ? ['--security-opt=no-new-privileges'] : []),
    ...drop.map((capability) => `--cap-drop=${capability}`),
    ...add.map((capability) => `--cap-add=${capability}`),
    ...(limits['memory'] === undefined ? [] : [`--memory=${bytesOf(limits['memory'])}`, `--memory-swap=${bytesOf(limits['memory'])}`]),
    ...(limits['cpu'] === undefined ? [] : [`--cpus=${processorsOf(limits['cpu'])}`]),
    ...(requests['cpu'] === undefined ? [] : [`--cpu-shares=${Math.max(2, Math.round(processorsOf(requests['cpu']) * 1024))}`]),
  ];
}
