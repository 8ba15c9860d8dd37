@NullMarked
package petrichor.services.blobs.content;

import org.jspecify.annotations.NullMarked;
