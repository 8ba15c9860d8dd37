@NullMarked
package petrichor.services.cache;

import org.jspecify.annotations.NullMarked;
