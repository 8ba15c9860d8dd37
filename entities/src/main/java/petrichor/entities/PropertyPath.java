package petrichor.entities;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * The path of property names to a value inside embedded entities. Written with dots between names;
 * a backslash escapes a dot or backslash in a name.
 */
record PropertyPath(List<String> names) {
    static PropertyPath parse(String text) {
        List<String> names = new ArrayList<>();
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                name.append(text.charAt(++i));
            } else if (c == '.') {
                names.add(name.toString());
                name.setLength(0);
            } else {
                name.append(c);
            }
        }
        names.add(name.toString());
        if (names.contains("")) {
            throw PetrichorException.invalid(
                    "The property path \"{text}\" has an empty name; write a dot that belongs to a"
                            + " name as \\. .",
                    "text",
                    Texts.shortened(text));
        }
        return new PropertyPath(List.copyOf(names));
    }

    String first() {
        return names.getFirst();
    }

    PropertyPath rest() {
        return new PropertyPath(names.subList(1, names.size()));
    }

    boolean last() {
        return names.size() == 1;
    }

    /** Requires a path to which a mutation may write. */
    PropertyPath requireWritable() {
        for (String name : names) {
            if (Validation.reserved(name)) {
                throw PetrichorException.invalid(
                        "The property name \"{name}\" is reserved.", "name", Texts.shortened(name));
            }
        }
        return this;
    }
}
