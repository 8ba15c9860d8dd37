@NullMarked
package petrichor.services.blobs;

import org.jspecify.annotations.NullMarked;
