/**
 * The type of a tensor's elements: the lowercase name of the TensorFlow type. `undecodable`: the
 * value could not be read; its bytes are stored as logged. Resources and variants have no name.
 */
export type DtypeName =
  | 'float32'
  | 'float64'
  | 'int32'
  | 'uint8'
  | 'int16'
  | 'int8'
  | 'string'
  | 'complex64'
  | 'int64'
  | 'bool'
  | 'qint8'
  | 'quint8'
  | 'qint32'
  | 'bfloat16'
  | 'qint16'
  | 'quint16'
  | 'uint16'
  | 'complex128'
  | 'float16'
  | 'uint32'
  | 'uint64'
  | 'float8_e5m2'
  | 'float8_e4m3fn'
  | 'float8_e4m3fnuz'
  | 'float8_e4m3b11fnuz'
  | 'float8_e5m2fnuz'
  | 'int4'
  | 'uint4'
  | 'undecodable';
