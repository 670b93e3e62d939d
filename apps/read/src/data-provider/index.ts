import { BlobSequencesProvider } from './blob-sequences-provider.ts';
import { ExperimentsProvider } from './experiments-provider.ts';
import { ScalarsProvider } from './scalars-provider.ts';
import { TensorsProvider } from './tensors-provider.ts';

/** The controllers that serve stock TensorBoard. */
export const dataProvider = [ExperimentsProvider, ScalarsProvider, TensorsProvider, BlobSequencesProvider];
