package petrichor.entities;

import com.google.datastore.v1.Key;
import java.util.StringJoiner;

/** A key in readable form: {@code Book:"Emma"/Page:7}. */
public final class KeyText {
    private KeyText() {}

    public static String of(Key key) {
        StringBuilder text = new StringBuilder();
        String namespace = key.getPartitionId().getNamespaceId();
        if (!namespace.isEmpty()) {
            text.append('[').append(namespace).append("] ");
        }
        for (int i = 0; i < key.getPathCount(); i++) {
            Key.PathElement element = key.getPath(i);
            text.append(i == 0 ? "" : "/").append(Texts.shortened(element.getKind()));
            switch (element.getIdTypeCase()) {
                case ID -> text.append(':').append(element.getId());
                case NAME ->
                        text.append(":\"").append(Texts.shortened(element.getName())).append('"');
                case IDTYPE_NOT_SET -> text.append(":?");
            }
        }
        return text.toString();
    }

    /** The elements as Google's errors show them: {@code [Book: Emma, Page: 7]}. */
    static String elements(Key key) {
        StringJoiner text = new StringJoiner(", ", "[", "]");
        for (Key.PathElement element : key.getPathList()) {
            String kind = Texts.shortened(element.getKind());
            text.add(
                    switch (element.getIdTypeCase()) {
                        case ID -> kind + ": " + element.getId();
                        case NAME -> kind + ": " + Texts.shortened(element.getName());
                        case IDTYPE_NOT_SET -> kind + ": ";
                    });
        }
        return text.toString();
    }
}
