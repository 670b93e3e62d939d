import protobuf from 'protobufjs';
import { descriptor, type Messages, type Sent } from '#protocols';
import { checkFields, readInSlices, unboundedLists } from './list-bounds.ts';
import { WideReader, WideWriter } from './wide-integers.ts';

const root = protobuf.Root.fromJSON(descriptor);
root.resolveAll();
giveDefaults(root);

/** Reads and writes one type of message. */
export interface Codec<T> {
  /** Throws if the bytes are invalid. Fields of type bytes are views of `bytes`. */
  decode(bytes: Uint8Array): T;
  /** A Buffer is sent unchanged. */
  encode(message: Sent<T> | Buffer): Buffer;
}

/** The codec for a message, by its protobuf name, e.g. `tensorboard.service.ServerInfoRequest`. */
export function codecOf<Name extends keyof Messages>(name: Name): Codec<Messages[Name]> {
  return codecOfType(root.lookupType(name)) as Codec<Messages[Name]>;
}

/** The codec for a part of a request that its handler reads in slices; a part has few fields. */
export function codecOfPart<Name extends keyof Messages>(name: Name): Codec<Messages[Name]> {
  return codecOfRequest(root.lookupType(name)) as Codec<Messages[Name]>;
}

/** A method of a service, as described in libs/protocols. */
export interface MethodShape {
  /** `/tensorboard.service.TensorBoardWriterService/WriteScalar`. */
  readonly path: string;
  readonly service: string;
  readonly name: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  /** For requests that are read in slices, `decode` returns the bytes. */
  readonly request: Codec<unknown>;
  readonly response: Codec<unknown>;
}

/** All methods of all services. */
export const methods: readonly MethodShape[] = servicesOf(root).flatMap((service) => {
  const name = service.fullName.slice(1);
  return service.methodsArray.map((method) => ({
    path: `/${name}/${method.name}`,
    service: name,
    name: method.name,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
    request: codecOfRequest(root.lookupType(method.resolvedRequestType!.fullName)),
    response: codecOfType(root.lookupType(method.resolvedResponseType!.fullName)),
  }));
});

function codecOfType(type: protobuf.Type): Codec<unknown> {
  return {
    decode: (bytes) => type.decode(new WideReader(bytes)),
    encode: (message) => (Buffer.isBuffer(message) ? message : (type.encode(message, new WideWriter()).finish() as Buffer)),
  };
}

/** Counts fields and lists before decoding. */
function codecOfRequest(type: protobuf.Type): Codec<unknown> {
  const { decode, encode } = codecOfType(type);
  if (readInSlices.has(type.fullName.slice(1))) return { decode: (bytes) => bytes, encode };
  return {
    decode: (bytes) => {
      checkFields(type, bytes);
      return decode(bytes);
    },
    encode,
  };
}

/**
 * Full names of the requests' repeated fields without a limit; a test requires that there are none.
 */
export function unboundedRequestLists(): string[] {
  return servicesOf(root).flatMap((service) =>
    service.methodsArray.flatMap((method) => unboundedLists(root.lookupType(method.resolvedRequestType!.fullName))),
  );
}

function servicesOf(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.flatMap((entry) =>
    entry instanceof protobuf.Service ? [entry] : entry instanceof protobuf.Namespace ? servicesOf(entry) : [],
  );
}

/** Makes a missing field decode as a value of the same type as a present field. */
function giveDefaults(namespace: protobuf.NamespaceBase): void {
  for (const entry of namespace.nestedArray) {
    if (entry instanceof protobuf.Type) {
      for (const field of entry.fieldsArray) {
        const value = field.type === 'bytes' ? Buffer.alloc(0) : field.type === 'int64' || field.type === 'uint64' ? 0n : undefined;
        if (!field.repeated && value !== undefined) Object.defineProperty(entry.ctor.prototype, field.name, { value, writable: true });
      }
    }
    if (entry instanceof protobuf.Namespace) giveDefaults(entry);
  }
}
