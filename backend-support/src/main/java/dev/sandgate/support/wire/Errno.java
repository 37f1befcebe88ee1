// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.wire;

/** The names of Linux's error numbers on x86-64. */
public final class Errno {

  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** Try again, or too many processes. */
  public static final int EAGAIN = 11;

  /** Out of memory. */
  public static final int ENOMEM = 12;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** Device or resource busy. */
  public static final int EBUSY = 16;

  /** File exists. */
  public static final int EEXIST = 17;

  /** It belongs to another device, or another layer. */
  public static final int EXDEV = 18;

  /** No such device. */
  public static final int ENODEV = 19;

  /** Not a directory. */
  public static final int ENOTDIR = 20;

  /** Too many open files in the system. */
  public static final int ENFILE = 23;

  /** Too many open files. */
  public static final int EMFILE = 24;

  /** More than a limit. */
  public static final int EFBIG = 27;

  /** No space left on device. */
  public static final int ENOSPC = 28;

  /** Too many of something. */
  public static final int E2BIG = 7;

  /** A path is too long. */
  public static final int ENAMETOOLONG = 36;

  /** Too many symbolic links. */
  public static final int ELOOP = 40;

  /** Disk quota exceeded. */
  public static final int EDQUOT = 122;

  private static final String[] NAMES =
      """
      EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT
      ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG
      ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP
      - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL
      ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV
      ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD
      ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE
      EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT
      EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN
      ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY
      EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE
      ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL
      EHWPOISON
      """
          .trim()
          .split("\\s+");

  private Errno() {}

  /**
   * The name of a number.
   *
   * @param number as the kernel gives it, positive
   * @return for example {@code ENOENT}, or {@code errno 999}
   */
  public static String name(int number) {
    boolean known = number > 0 && number <= NAMES.length && !NAMES[number - 1].equals("-");
    return known ? NAMES[number - 1] : "errno " + number;
  }
}
