// Sets what the accounts of the processes may do in the bucket: `S3_WRITER` (upload, ingest) reads,
// writes, deletes and lists objects; `S3_READER` (read) only reads and lists. Neither can change
// the policy or the bucket. docker-compose.yml runs it at each start; docs/operating.md, "Keys for
// the object store".
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_WRITER: writer, S3_READER: reader } = process.env;
const region = process.env.S3_REGION || 'us-east-1';
const credentials = { accessKeyId: process.env.S3_ACCESS_KEY_ID, secretAccessKey: process.env.S3_SECRET_ACCESS_KEY };

const ofBucket = [`arn:aws:s3:::${bucket}`];
const ofObjects = [`arn:aws:s3:::${bucket}/*`];
const allow = (account, actions, resources) => ({ Effect: 'Allow', Principal: { AWS: [account] }, Action: actions, Resource: resources });
const policy = {
  Version: '2012-10-17',
  Statement: [
    allow(reader, ['s3:ListBucket'], ofBucket),
    allow(reader, ['s3:GetObject'], ofObjects),
    allow(writer, ['s3:ListBucket', 's3:ListBucketMultipartUploads'], ofBucket),
    allow(writer, ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'], ofObjects),
  ],
};

const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(policy) }));
