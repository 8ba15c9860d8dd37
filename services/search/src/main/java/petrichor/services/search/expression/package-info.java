/** Expressions over documents, as App Engine defines them: parsed once, evaluated per document. */
@NullMarked
package petrichor.services.search.expression;

import org.jspecify.annotations.NullMarked;
