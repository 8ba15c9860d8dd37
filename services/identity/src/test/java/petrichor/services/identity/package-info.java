@NullMarked
package petrichor.services.identity;

import org.jspecify.annotations.NullMarked;
