/** Content in an object store with the S3 protocol. */
@NullMarked
package petrichor.services.blobs.s3;

import org.jspecify.annotations.NullMarked;
