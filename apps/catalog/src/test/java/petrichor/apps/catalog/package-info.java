@NullMarked
package petrichor.apps.catalog;

import org.jspecify.annotations.NullMarked;
