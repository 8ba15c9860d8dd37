/**
 * Stores for the content of objects: named sequences of bytes that are written once, in one or
 * several goes, and read in ranges. Their metadata and their references are elsewhere.
 */
@NullMarked
package petrichor.services.blobs.content;

import org.jspecify.annotations.NullMarked;
