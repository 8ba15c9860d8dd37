package petrichor.cli.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Words of SQL: those that are offered for completion, and those that need quotes as names. */
final class Keywords {
    static final List<String> COMPLETED =
            List.of(
                    ("ALTER AND AS ASC BEGIN BETWEEN BY CASE CAST CHECK COALESCE COMMIT CONFLICT"
                                    + " CONSTRAINT COPY COUNT CREATE CROSS CURSOR DEFAULT DELETE"
                                    + " DESC DISTINCT DO DROP ELSE END EXISTS EXPLAIN FALSE FETCH"
                                    + " FOR FOREIGN FROM FULL GROUP HAVING IN INDEX INNER INSERT"
                                    + " INTO IS JOIN KEY LATERAL LEFT LIKE LIMIT MERGE NOT NOTHING"
                                    + " NULL OFFSET ON OR ORDER OUTER OVER PARTITION PRIMARY"
                                    + " REFERENCES RETURNING RIGHT ROLLBACK SAVEPOINT SELECT"
                                    + " SEQUENCE SET SHOW TABLE THEN TRUE TRUNCATE UNION UNIQUE"
                                    + " UPDATE USING VALUES VIEW WHEN WHERE WINDOW WITH")
                            .split(" "));

    /** PostgreSQL's and H2's, so that names are safe in both. */
    private static final Set<String> RESERVED =
            Set.of(
                    ("all analyse analyze and any array as asc asymmetric authorization between"
                         + " both case cast check collate column concurrently constraint create"
                         + " cross current_catalog current_date current_role current_schema"
                         + " current_time current_timestamp current_user day default deferrable"
                         + " desc distinct do else end except exists false fetch for foreign freeze"
                         + " from full grant group having hour if ilike in initially inner"
                         + " intersect interval into is isnull join key lateral leading left like"
                         + " limit localtime localtimestamp minus minute month natural not notnull"
                         + " null offset on only or order outer overlaps placing primary qualify"
                         + " references returning right row rownum second select session_user"
                         + " similar some symmetric system_user table tablesample then to trailing"
                         + " true union unique unknown user using value values variadic verbose"
                         + " when where window with year")
                            .split(" "));

    private Keywords() {}

    static boolean isReserved(String word) {
        return RESERVED.contains(word.toLowerCase(Locale.ROOT));
    }
}
