/**
 * App Engine's {@code blobstore}: blobs are objects of the app's default bucket, uploaded by
 * browsers as forms; {@code __BlobInfo__} entities describe them.
 */
@NullMarked
package petrichor.frontends.appengine.blobstore;

import org.jspecify.annotations.NullMarked;
