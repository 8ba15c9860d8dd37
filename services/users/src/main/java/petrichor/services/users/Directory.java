package petrichor.services.users;

/** Another place that checks passwords, such as an LDAP directory. Thread-safe; blocks. */
public interface Directory {
    /** Whether the directory has this user with this password. */
    boolean verify(String email, String password);

    /** No directory. */
    Directory NONE = (_, _) -> false;
}
