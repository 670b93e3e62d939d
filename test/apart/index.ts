export { type ApartOptions, ApartService } from './apart-service.ts';
