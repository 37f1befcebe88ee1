// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionResult;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call leaves is not seen by the next one, on a pool of a single worker; needs root. */
@Tag("root")
@Timeout(180)
final class ResidueTest {

  private static FncallFixture fixture;

  @BeforeAll
  static void open() throws IOException, InterruptedException {
    fixture = new FncallFixture(HostLayers::python, Map.of("workers", "1", "idle-workers", "1"));
  }

  @AfterAll
  static void close() throws IOException {
    fixture.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '^',
      textBlock =
          """
          file in tmp § open('/tmp/left','w').write('x') § import os; print(os.path.exists('/tmp/left'))
          file in var tmp § import os; os.makedirs('/tmp/a/b'); os.symlink('/etc', '/tmp/a/l') § import os; print(os.path.exists('/tmp/a'))
          file in the working directory § open('left','w').write('x') § import os; print(os.path.exists('left'))
          hidden directory without permissions § import os; os.mkdir('d'); open('d/f','w').close(); os.chmod('d',0) § import os; print(len(os.listdir('.')) > 0)
          shared memory file § open('/dev/shm/left','w').write('x') § import os; print(os.path.exists('/dev/shm/left'))
          background process § import os,time; (os.fork() or (os.setsid(), time.sleep(99))) § import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]) > 3)
          environment variable § import os; os.environ['LEFT']='x'; os.putenv('LEFT','x') § import os; print('LEFT' in os.environ)
          working directory § import os; os.chdir('/') § import os; print(os.getcwd() == '/')
          umask § import os; os.umask(0o777) § import os; print(os.umask(0) == 0o777)
          signal handler § import signal; signal.signal(15, signal.SIG_IGN) § import signal; print(signal.getsignal(15) == signal.SIG_IGN)
          thread § import threading,time; threading.Thread(target=time.sleep,args=(99,),daemon=True,name='left').start() § import threading; print(len(threading.enumerate()) > 1)
          changed module § import json; json.dumps = None; json.left = 1 § import json; print(json.dumps is None or hasattr(json,'left'))
          changed builtin § import builtins; builtins.print = None; builtins.left = 1 § import builtins; print(hasattr(builtins,'left'))
          changed path § import sys; sys.path.append('/left') § import sys; print('/left' in sys.path)
          resource limit § import resource; resource.setrlimit(resource.RLIMIT_NOFILE,(33,33)) § import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 33)
          open descriptor § import os; [os.dup2(0, fd) for fd in range(50,60)] § import os; print(any(int(fd) >= 50 for fd in os.listdir('/proc/self/fd')))
          system V shared memory § import ctypes; ctypes.CDLL(None).shmget(0x5a5a, 4096, 0o1666) § import ctypes; print(ctypes.CDLL(None).shmget(0x5a5a, 4096, 0) >= 0)
          system V queue § import ctypes; ctypes.CDLL(None).msgget(0x5a5b, 0o1666) § import ctypes; print(ctypes.CDLL(None).msgget(0x5a5b, 0) >= 0)
          POSIX queue § import ctypes; ctypes.CDLL(None).mq_open(b'/left', 0o102, 0o666, None) § import ctypes; print(ctypes.CDLL(None).mq_open(b'/left', 0) >= 0)
          abstract socket § import os,socket,time; s=socket.socket(socket.AF_UNIX); s.bind('\\0left'); s.listen(); (os.fork() or time.sleep(99)) § import socket; print(socket.socket(socket.AF_UNIX).connect_ex('\\0left') == 0)
          port § import os,socket,time; s=socket.create_server(('127.0.0.1',4242)); (os.fork() or time.sleep(99)) § import socket; print(socket.socket().connect_ex(('127.0.0.1',4242)) == 0)
          """)
  void shouldHideFromTheNextCall(String what, String leave, String look) {
    FunctionResult first = fixture.call(Language.PYTHON, leave);
    assertEquals(0, first.runs().getFirst().exitCode(), () -> what + ": " + error(first));
    assertEquals("False", fixture.python(look), what + " is seen by the next call");
  }

  private static String error(FunctionResult result) {
    return FncallFixture.text(result.runs().getFirst().stderr());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '^',
      textBlock =
          """
          files § echo x > /tmp/left; mkdir /work/d; echo x > left § ls -A /tmp . /work | grep left | wc -l
          shared memory § echo x > /dev/shm/left § ls -A /dev/shm | grep left | wc -l
          process § setsid sleep 99 & § ps | grep '[s]leep 99' | wc -l
          """)
  void shouldHideFromTheNextScript(String what, String leave, String look) {
    fixture.call(Language.SHELL, leave);
    assertEquals("0", fixture.shell(look), what + " is seen by the next call");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '^',
      textBlock =
          """
          kill it § import os; [os.kill(int(p), 9) for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]
          write its memory § import os; open('/proc/%d/mem' % os.getppid(), 'r+b')
          read its descriptors § import os; os.open('/proc/%d/fd/4' % os.getppid(), os.O_WRONLY)
          trace it § import ctypes,os,sys; sys.exit(ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) != 0)
          become root § import os; os.setuid(0)
          """)
  void shouldKeepCallsFromTheInterpreter(String what, String attempt) {
    FunctionResult result = fixture.call(Language.PYTHON, attempt);
    assertTrue(result.runs().getFirst().exitCode() != 0, what + " succeeded");
    assertEquals("fine", fixture.python("print('fine')"));
  }
}
