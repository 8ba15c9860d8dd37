@NullMarked
package petrichor.apps.router.table;

import org.jspecify.annotations.NullMarked;
