@NullMarked
package petrichor.services.blobs.s3;

import org.jspecify.annotations.NullMarked;
