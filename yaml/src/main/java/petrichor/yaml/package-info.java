/**
 * Reads App Engine's configuration files ({@code queue.yaml}, {@code cron.yaml}, {@code app.yaml},
 * {@code dispatch.yaml}). The reader of a file asks a {@link petrichor.yaml.YamlMapping} for the
 * fields that it knows; a field that it does not know is an error with the nearest known name.
 * Every error names the file and the line.
 *
 * <p>Files come from users: their size, the depth of their nesting and the number of their aliases
 * are limited before any of their content is used. Scalars are returned as they are written; the
 * reader of a file decides whether {@code 0123} or {@code yes} are numbers, flags or text.
 */
@NullMarked
package petrichor.yaml;

import org.jspecify.annotations.NullMarked;
