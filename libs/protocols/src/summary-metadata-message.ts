import { MessageWriter } from './message-writer.ts';

/** The properties of a series in a SummaryMetadata. */
export interface DescribedSeries {
  readonly plugin: string;
  readonly pluginContent: Uint8Array;
  readonly displayName: string;
  readonly description: string;
  /** Null if the series has none; TensorBoard's pages then do not show the series. */
  readonly dataClass: 'scalar' | 'tensor' | 'blob_sequence' | null;
}

/** Numbers of DataClass (protocol reference A.4). */
const dataClasses = { scalar: 1, tensor: 2, blob_sequence: 3 } as const;

/**
 * SummaryMetadata{1 plugin_data{1 plugin_name; 2 content}; 2 display_name; 3 summary_description; 4
 * data_class}.
 */
export function summaryMetadataMessage({ plugin, pluginContent, displayName, description, dataClass }: DescribedSeries): Buffer {
  const pluginData = new MessageWriter(pluginContent.length + 64);
  if (plugin !== '') pluginData.bytes(1, plugin);
  if (pluginContent.length > 0) pluginData.bytes(2, pluginContent);
  const message = new MessageWriter(pluginData.length + 64).bytes(1, pluginData.finish());
  if (displayName !== '') message.bytes(2, displayName);
  if (description !== '') message.bytes(3, description);
  return (dataClass === null ? message : message.varint(4, dataClasses[dataClass])).finish();
}
