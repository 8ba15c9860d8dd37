package petrichor.sql.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The session that reads system catalogs. */
public interface SessionView {
    String user();

    String database();

    /** Schemas in which unqualified names are found. */
    List<String> searchPath();

    /** Value of a variable; null if there is none. */
    @Nullable String setting(String name);

    /** As {@code set_config}: until the end of the transaction, or of the session. */
    void set(String name, String value, boolean onlyTransaction);
}
