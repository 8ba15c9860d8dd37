@NullMarked
package petrichor.services.images;

import org.jspecify.annotations.NullMarked;
