/**
 * Cloud Storage's JSON API, and the part of its XML API that clients use for signed URLs and
 * downloads. Start reading at {@link petrichor.frontends.storage.StorageFrontEnd}.
 *
 * <p>Wire only: buckets and objects are in {@link petrichor.services.blobs}. Bodies are read and
 * written piece by piece; a transfer holds a fixed amount of memory, regardless of the size of the
 * object. Source: Google's reference of the two APIs, and the behaviour of its clients.
 */
@NullMarked
package petrichor.frontends.storage;

import org.jspecify.annotations.NullMarked;
