/**
 * Buckets and objects of the projects, after the model of Google Cloud Storage. Start reading at
 * {@link petrichor.services.blobs.Blobs}.
 *
 * <p>Metadata are rows of the project's default database, so an object appears, changes and
 * disappears by one commit. Its content is in a {@link
 * petrichor.services.blobs.content.BlobContent}: it is durable before the commit that makes it
 * visible, and never changes afterwards. A crash between the two leaves an orphan, which {@link
 * petrichor.services.blobs.Collector} deletes.
 *
 * <p>An object refers to one or more contents, and a content may belong to several objects.
 * Composing and copying within a project therefore copy no bytes. A row for each reference shows
 * whether a content is still in use.
 */
@NullMarked
package petrichor.services.blobs;

import org.jspecify.annotations.NullMarked;
