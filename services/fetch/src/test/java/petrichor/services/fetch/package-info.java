@NullMarked
package petrichor.services.fetch;

import org.jspecify.annotations.NullMarked;
