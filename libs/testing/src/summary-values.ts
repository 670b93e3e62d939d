import { bytesField, join, stringField, varintField } from './protobuf-writer.ts';

/** Numbers of `DataClass` (summary.proto). */
const dataClasses = { tensor: 2, blob_sequence: 3 } as const;

/**
 * Summary.Value {1 tag; 8 tensor; 9 metadata {1 plugin_data {1 plugin_name}; 4 data_class}},
 * serialized. `tensor`: from {@link stringTensor} or {@link numberTensor}.
 */
export function tensorValue(tag: string, plugin: string, dataClass: keyof typeof dataClasses, tensor: Uint8Array): Uint8Array {
  const metadata = join(bytesField(1, stringField(1, plugin)), varintField(4, dataClasses[dataClass]));
  return join(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

/** TensorProto of rank 1 {1 dtype: DT_STRING; 2 tensor_shape; 8 string_val}. */
export function stringTensor(values: readonly (string | Uint8Array)[]): Uint8Array {
  return join(
    varintField(1, 7),
    shapeField([values.length]),
    ...values.map((value) => (typeof value === 'string' ? stringField(8, value) : bytesField(8, value))),
  );
}

/**
 * TensorProto {1 dtype: DT_DOUBLE; 2 tensor_shape; 4 tensor_content: the numbers in C order,
 * little-endian}.
 */
export function numberTensor(shape: readonly number[], values: Float64Array): Uint8Array {
  return join(varintField(1, 2), shapeField(shape), bytesField(4, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)));
}

/** TensorShapeProto {2 dim {1 size}}. */
function shapeField(shape: readonly number[]): Uint8Array {
  return bytesField(2, join(...shape.map((size) => bytesField(2, varintField(1, size)))));
}
