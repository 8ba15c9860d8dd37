/**
 * Static files. {@link petrichor.apps.router.files.StaticFiles} finds the file that a path names
 * without ever leaving its folder, and keeps small files, plain and compressed, in a cache of
 * bounded size. {@link petrichor.apps.router.files.FileAnswer} decides the response: conditional
 * requests, ranges, compression and the fields of {@code app.yaml}. {@link
 * petrichor.apps.router.files.FileBody} reads the body of large files block by block.
 *
 * <p>Folders do not change while a routing table names them: a deployment has a folder of its own.
 */
@NullMarked
package petrichor.apps.router.files;

import org.jspecify.annotations.NullMarked;
