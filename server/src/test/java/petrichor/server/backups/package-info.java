@NullMarked
package petrichor.server.backups;

import org.jspecify.annotations.NullMarked;
