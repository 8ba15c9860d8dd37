package petrichor.sql;

import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Replacements in a text, from its start to its end. */
final class TextEdits {
    /** Positions are those of the text before all replacements. */
    record Edit(int from, int to, String by) {
        static Edit tokens(List<SqlToken> tokens, int first, int last, String by) {
            return new Edit(tokens.get(first).from(), tokens.get(last).to(), by);
        }
    }

    private TextEdits() {}

    /**
     * The text with the edits that start at its tokens. One that overlaps an earlier one is left
     * for the next pass: what it replaces may be an operand of the earlier one.
     *
     * @param found the edit for the token at an index; null if there is none
     */
    static String apply(String text, List<SqlToken> tokens, IntFunction<@Nullable Edit> found) {
        StringBuilder edited = new StringBuilder();
        int copied = 0;
        int deferred = 0;
        for (int i = 0; i < tokens.size(); i++) {
            Edit edit = tokens.get(i).from() < copied ? null : found.apply(i);
            if (edit != null && edit.from() < Math.max(copied, deferred)) {
                deferred = Math.max(deferred, edit.to());
            } else if (edit != null) {
                edited.append(text, copied, edit.from()).append(edit.by());
                copied = edit.to();
            }
        }
        return copied == 0 ? text : edited.append(text, copied, text.length()).toString();
    }
}
